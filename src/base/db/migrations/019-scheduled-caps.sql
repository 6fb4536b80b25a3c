-- What is scheduled lies here with its attachments until it is sent, or has failed long ago, so a plan says how much of it
-- an organization may have.

alter table plans
  add column scheduled_messages integer not null default 10000 check (scheduled_messages >= 0),
  add column scheduled_bytes bigint not null default 10::bigint << 30 check (scheduled_bytes >= 0);
update plans set scheduled_messages = 1000, scheduled_bytes = 1::bigint << 30 where name = 'free';
update plans set scheduled_messages = 50000, scheduled_bytes = 50::bigint << 30 where name = 'business';
update plans set scheduled_messages = 1000000, scheduled_bytes = 1::bigint << 40 where name = 'self_hosted';

create table scheduled_usage (
  organization_id uuid primary key references organizations on delete cascade,
  messages integer not null,
  bytes bigint not null
);
insert into scheduled_usage (organization_id, messages, bytes)
  select organization_id, count(*), sum(size_bytes) from scheduled_messages group by organization_id;

create function count_scheduled() returns trigger language plpgsql as $$
declare over record;
begin
  insert into scheduled_usage as usage (organization_id, messages, bytes)
    select organization_id, count(*), sum(size_bytes) from new_rows group by organization_id order by organization_id
    on conflict (organization_id) do update
      set messages = usage.messages + excluded.messages, bytes = usage.bytes + excluded.bytes;
  for over in
    select usage.messages > plans.scheduled_messages as many, plans.scheduled_messages, plans.scheduled_bytes
    from scheduled_usage usage
    join organizations on organizations.id = usage.organization_id
    join plans on plans.name = organizations.plan
    where usage.organization_id in (select organization_id from new_rows)
      and (usage.messages > plans.scheduled_messages or usage.bytes > plans.scheduled_bytes)
  loop
    if over.many then
      raise exception 'The plan allows % scheduled messages at a time', over.scheduled_messages
        using errcode = 'PC402', constraint = 'scheduled_messages_plan_cap';
    end if;
    raise exception 'The plan allows % MiB of scheduled messages at a time', over.scheduled_bytes >> 20
      using errcode = 'PC402', constraint = 'scheduled_bytes_plan_cap';
  end loop;
  return null;
end $$;
create trigger count_scheduled after insert on scheduled_messages
  referencing new table as new_rows for each statement execute function count_scheduled();

-- Rows are locked in one order, so that two workers that end messages of the same organizations never wait in a circle.
create function discount_scheduled() returns trigger language plpgsql as $$
begin
  perform from scheduled_usage where organization_id in (select organization_id from old_rows)
    order by organization_id for update;
  update scheduled_usage usage set messages = usage.messages - gone.messages, bytes = usage.bytes - gone.bytes
    from (
      select organization_id, count(*) as messages, sum(size_bytes) as bytes from old_rows group by organization_id
    ) gone
    where usage.organization_id = gone.organization_id;
  return null;
end $$;
create trigger discount_scheduled after delete on scheduled_messages
  referencing old table as old_rows for each statement execute function discount_scheduled();

-- The pieces come first, and the message when all of them are there: what is counted is locked until the end of the
-- transaction, and large messages of one organization must not wait for each other's pieces.
alter table scheduled_pieces
  alter constraint scheduled_pieces_scheduled_id_fkey deferrable initially deferred;
