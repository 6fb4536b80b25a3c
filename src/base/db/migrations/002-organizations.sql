-- Organizations, their plans, and what they use of them.

create table plans (
  name text primary key,
  domains integer not null check (domains >= 0),
  mailboxes integer not null check (mailboxes >= 0),
  storage_bytes bigint not null check (storage_bytes >= 0),
  sends_per_day integer not null check (sends_per_day >= 0),
  -- Scheduled messages are stored with their attachments until they are sent, or failed long ago.
  scheduled_messages integer not null default 10000 check (scheduled_messages >= 0),
  scheduled_bytes bigint not null default 10::bigint << 30 check (scheduled_bytes >= 0)
);

insert into plans (name, domains, mailboxes, storage_bytes, sends_per_day, scheduled_messages, scheduled_bytes) values
  ('free', 1, 3, 5::bigint << 30, 100, 1000, 1::bigint << 30),
  ('team', 5, 25, 250::bigint << 30, 2000, 10000, 10::bigint << 30),
  ('business', 25, 200, 2::bigint << 40, 10000, 50000, 50::bigint << 30),
  ('self_hosted', 1000, 100000, 100::bigint << 40, 1000000, 1000000, 1::bigint << 40);

create table organizations (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  plan text not null references plans,
  created_at timestamptz(3) not null default now(),
  suspended_at timestamptz(3)
);
create unique index organizations_name on organizations (lower(name));

-- Counters in a row of their own, kept by triggers: a count(*) under a lock is not exact at repeatable read (a cap of 5 let
-- in 11), an update of one row is.
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

-- Recipients of a UTC day.
create table sends (
  organization_id uuid not null references organizations on delete cascade,
  day date not null,
  recipients integer not null default 0,
  primary key (organization_id, day)
);
