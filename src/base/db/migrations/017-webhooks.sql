-- Webhooks (docs/reference/webhooks.md): URLs that events are posted to. Each reads the event log from a position of its own. Its row is
-- a queue entry too: a process claims a webhook for a round.

create table webhooks (
  id uuid primary key default gen_random_uuid(),
  organization_id uuid not null references organizations on delete cascade,
  name text not null,
  url text not null,
  types text[], -- null: all
  mailbox_id uuid, -- null: all; without a reference, since a deleted mailbox must not widen what is told
  -- With whose rights it reads: one of the two. Without references: who is deleted hears nothing.
  key_id uuid,
  member_id uuid,
  secret bytea not null, -- sealed
  previous_secret bytea, -- sealed; signs too until `previous_until`
  previous_until timestamptz(3),
  -- The event up to which all are delivered, or are in webhook_deliveries.
  position bigint not null,
  event_id bigint not null,
  rounds_failed integer not null default 0, -- in a row
  failing_since timestamptz(3),
  due_at timestamptz(3) not null, -- no round before
  paused_at timestamptz(3),
  paused_because text, -- null where somebody asked for it
  resumes integer not null default 0, -- how often it was resumed; a round that began before the last time does not count as failed
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  leased_until timestamptz(3),
  lease_epoch integer not null default 0,
  unique (organization_id, id),
  check (num_nonnulls(key_id, member_id) = 1),
  check ((previous_secret is null) = (previous_until is null))
);
create index webhooks_due on webhooks (due_at) where paused_at is null;

-- What was not delivered at once, and the newest that were. The event itself is in the log alone.
create table webhook_deliveries (
  organization_id uuid not null,
  webhook_id uuid not null,
  position bigint not null,
  event_id bigint not null,
  type text not null,
  -- Events of one scope and part are delivered in order, and those of one scope without a part with all of the scope.
  order_scope text not null,
  order_part text,
  state text not null check (state in ('waiting', 'delivered', 'failed')),
  attempts integer not null,
  due_at timestamptz(3) not null, -- while it waits
  first_at timestamptz(3), -- of the first attempt
  last_at timestamptz(3),
  milliseconds integer, -- that the last attempt took
  status smallint,
  answer text,
  error text,
  primary key (organization_id, webhook_id, position, event_id),
  foreign key (organization_id, webhook_id) references webhooks (organization_id, id) on delete cascade
);
create index webhook_deliveries_waiting on webhook_deliveries (organization_id, webhook_id, due_at) where state = 'waiting';
