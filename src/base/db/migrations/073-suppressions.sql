-- Addresses that mail of an organization comes back from (docs/reference/suppressions.md): how often, and since when nothing is sent
-- there any more.

create table suppressions (
  id uuid primary key default gen_random_uuid(),
  organization_id uuid not null references organizations on delete cascade,
  address text not null,
  mailbox_id uuid, -- whose message it was last
  cause text not null check (cause in ('bounced', 'complained')),
  bounces integer not null,
  bounced_at timestamptz(3) not null, -- the last time
  suppressed_at timestamptz, -- null: not yet
  status text,
  reply text,
  unique (organization_id, address)
);
create index suppressions_listed on suppressions (organization_id, suppressed_at, id) where suppressed_at is not null;
create index suppressions_age on suppressions (bounced_at) where suppressed_at is null;
