-- Organizations, their plan and what they use of it, their members and their keys.

create table plans (
  name text primary key,
  domains integer not null check (domains >= 0),
  mailboxes integer not null check (mailboxes >= 0),
  storage_bytes bigint not null check (storage_bytes >= 0),
  sends_per_day integer not null check (sends_per_day >= 0)
);

insert into plans (name, domains, mailboxes, storage_bytes, sends_per_day) values
  ('free', 1, 3, 5::bigint << 30, 100),
  ('team', 5, 25, 250::bigint << 30, 2000),
  ('business', 25, 200, 2::bigint << 40, 10000),
  ('self_hosted', 1000, 100000, 100::bigint << 40, 1000000);

create table organizations (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  plan text not null references plans,
  created_at timestamptz(3) not null default now()
);
create unique index organizations_name on organizations (lower(name));

-- Counters beside the rows that they count, kept by triggers: a count(*) under a lock is not exact at
-- repeatable read (a cap of 5 let in 11), an update of one row is.
create table organization_usage (
  organization_id uuid primary key references organizations on delete cascade,
  domains integer not null default 0,
  mailboxes integer not null default 0,
  storage_bytes bigint not null default 0
);

create function start_usage() returns trigger language plpgsql as $$
begin
  insert into organization_usage (organization_id) values (new.id);
  return null;
end $$;
create trigger start_usage after insert on organizations for each row execute function start_usage();

-- Recipients sent to in a UTC day.
create table sends (
  organization_id uuid not null references organizations on delete cascade,
  day date not null,
  recipients integer not null default 0,
  primary key (organization_id, day)
);

create table members (
  id uuid primary key default gen_random_uuid(),
  organization_id uuid not null references organizations on delete cascade,
  email text not null,
  name text not null default '',
  role text not null check (role in ('owner', 'admin', 'member')),
  joined_at timestamptz(3) not null default now(),
  unique (organization_id, id)
);
create unique index members_email on members (organization_id, lower(email));

-- Only the SHA-256 of a key is kept; prefix and last_four are there to recognise it by.
create table api_keys (
  id uuid primary key default gen_random_uuid(),
  organization_id uuid not null references organizations on delete cascade,
  name text not null default '',
  hash bytea not null unique,
  prefix text not null,
  last_four text not null,
  scopes text[] not null,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3),
  last_used_at timestamptz(0),
  revoked_at timestamptz(3)
);
create index api_keys_organization on api_keys (organization_id, created_at);

-- Answers to POSTs that carried an Idempotency-Key, written in the transaction that they answer for.
create table idempotency_keys (
  organization_id uuid not null references organizations on delete cascade,
  key text not null,
  request_hash bytea not null,
  status smallint not null,
  location text,
  body text not null,
  created_at timestamptz(3) not null default now(),
  primary key (organization_id, key)
);
create index idempotency_keys_age on idempotency_keys (created_at);
