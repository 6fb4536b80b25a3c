-- What the whole installation has in common: its secrets (docs/configuration.md), and policies of other domains.

create table installation (
  one boolean primary key default true check (one), -- the only row
  secret_fingerprint bytea not null, -- of the secret in force
  -- The key of hashes of Message-IDs, sealed. It is derived from the first secret, and stays when another comes into force: ids of
  -- conversations contain such hashes.
  id_hash_key bytea not null,
  -- Of the process that started last. All processes have the same one; a process with another is told (src/app/server/host-name.ts).
  hostname text
);

-- Secrets that were in force. What was made under them can still be opened for some time.
create table retired_secrets (
  fingerprint bytea primary key,
  sealed bytea not null, -- the secret itself, under the one in force
  retired_at timestamptz(3) not null default clock_timestamp(),
  replaced_at timestamptz(3) -- when nothing sealed under it was left
);

-- The processes on a database server, and the secrets that each knows, so that none comes into force that one of them lacks.
-- Unlogged, since the rows mean nothing after a crash or in another database.
create unlogged table secret_holders (
  process uuid primary key,
  knows bytea[] not null, -- fingerprints
  uses bytea not null, -- the one that is in force for it
  seen_at timestamptz(3) not null default clock_timestamp()
);

-- MTA-STS policies. A policy is valid for as long as it says, also after a restart and in every process (RFC 8461, section 3.3).
create table mta_sts_policies (
  domain text primary key,
  id text not null,
  mode text not null check (mode in ('enforce', 'testing', 'none')),
  mx text[] not null,
  until timestamptz not null
);
