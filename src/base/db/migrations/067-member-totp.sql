-- A member's second factor: codes by time (RFC 6238), of a secret that an application of theirs has too.
create table member_totp (
  organization_id uuid not null,
  member_id uuid not null,
  secret bytea not null, -- sealed
  enabled_at timestamptz(3), -- null until a first code has shown that the application has the secret
  last_step bigint, -- the newest 30 seconds of which a code was used; no code of them or of earlier ones is accepted again
  primary key (organization_id, member_id),
  foreign key (organization_id, member_id) references members (organization_id, id) on delete cascade
);

-- Each stands in for a code, once. Only the SHA-256 is kept: they are random.
create table member_recovery_codes (
  organization_id uuid not null,
  member_id uuid not null,
  hash bytea not null,
  primary key (organization_id, member_id, hash),
  foreign key (organization_id, member_id) references member_totp (organization_id, member_id) on delete cascade
);
