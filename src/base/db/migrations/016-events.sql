-- The event log (docs/reference/events.md): what has happened, written in the transaction that did it.
--
-- A position is the transaction's id plus `base`. Readers stop before the oldest transaction that is still open, so events come in an
-- order that no later commit changes. Transaction ids begin anew in a restored or moved database: `base` is raised then when a service
-- starts, so that positions never go back.

create table event_log (
  only_row boolean primary key default true check (only_row),
  base bigint not null,
  cluster text not null, -- whose transaction ids `base` is for
  forgotten bigint not null default 0 -- the last position of which events have been deleted
);

create table events (
  position bigint not null,
  id bigint generated always as identity,
  organization_id uuid not null, -- without a reference: arriving mail must not lock the organization
  at timestamptz(3) not null default clock_timestamp(),
  type text not null,
  mailbox_id uuid,
  actor_kind text not null,
  actor_id uuid,
  actor_name text not null,
  data jsonb not null,
  primary key (position, id)
);
create index events_read on events (organization_id, position, id);

create function forget_events() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  delete from events where organization_id = old.id;
  return null;
end $$;
create trigger forget_events after delete on organizations for each row execute function forget_events();
