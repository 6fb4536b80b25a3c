-- The installation's secret can be changed; docs/configuration.md explains it. Which one is in force stands in the row of
-- the installation. Those that were in force before open what was made under them for some time yet.

-- The key under which message ids are hashed, sealed. It was made of the first secret, and stays when that goes.
alter table installation add column id_hash_key bytea;

create table retired_secrets (
  fingerprint bytea primary key,
  sealed bytea not null, -- the secret itself, under the one in force
  retired_at timestamptz(3) not null default clock_timestamp(),
  replaced_at timestamptz(3) -- when nothing sealed under it was left
);

-- Who runs on a database server, and what secrets they know, so that none comes into force that one of them lacks.
-- Worth nothing after a crash or in another database.
create unlogged table secret_holders (
  process uuid primary key,
  knows bytea[] not null, -- fingerprints
  uses bytea not null, -- the one that is in force for it
  seen_at timestamptz(3) not null default clock_timestamp()
);
