-- One row: what the whole installation has in common.
create table installation (
  one boolean primary key default true check (one),
  secret_fingerprint bytea not null
);
