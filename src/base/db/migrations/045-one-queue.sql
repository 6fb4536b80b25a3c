-- One queue for all mail that leaves: a scheduled message is a row of outbound_messages with a time before which it does
-- not go. docs/mail-out.md draws the states.

alter table outbound_messages
  add column state text not null default 'queued'
    check (state in ('uncomposed', 'queued', 'scheduled', 'sending', 'copy_pending', 'failed')),
  add column source bytea, -- uncomposed: what it is composed of, sealed
  add column queued_at timestamptz(3), -- when it was handed to the worker; its recipients are tried for five days from then
  add column send_at timestamptz(3), -- when a scheduled message goes, and its Date; null once it has left the list
  add column allowance_due integer not null default 0, -- recipients whom the day's allowance is not yet claimed for
  add column fields bytea, -- "to", cc, bcc and subject of a scheduled message
  add column fields_sealed boolean not null default true,
  add column attachment_count integer,
  add column scheduled_by text check (scheduled_by in ('api_key', 'member')),
  add column last_error text, -- of a scheduled message
  add column failed_at timestamptz(3),
  add column copy_due_at timestamptz(3), -- copy_pending: when the copy for Sent is tried next
  drop column delivered,
  set (fillfactor = 50);
update outbound_messages set queued_at = created_at;
alter table outbound_messages alter column queued_at set not null, drop column expires_at;

alter table outbound_recipients
  add column leased_until timestamptz(3); -- sending: another worker may take it back after that
update outbound_recipients set leased_until = due_at where state = 'sending';
alter table outbound_recipients rename column epoch to lease_epoch;
alter table outbound_recipients rename column dotted to end_of_data_sent;
alter table outbound_recipients drop constraint outbound_recipients_state_check;
update outbound_recipients set state = 'suspect' where suspect and state = 'waiting';
drop index outbound_recipients_leased, outbound_recipients_suspect;
alter table outbound_recipients
  drop column suspect,
  add check (state in ('held', 'waiting', 'suspect', 'sending')),
  add check ((state = 'sending') = (leased_until is not null));
create index outbound_recipients_leased on outbound_recipients (leased_until) where leased_until is not null;
create index outbound_recipients_suspect on outbound_recipients (due_at, id) where state = 'suspect';

-- The pieces come first: what an organization has scheduled is counted, and locked, with the message.
alter table outbound_pieces
  alter constraint outbound_pieces_message_id_fkey deferrable initially deferred;

-- What is in both queues. Its copy for Sent is pending, or nobody has it yet.
update outbound_messages message
set state = case one.status when 'sent' then 'copy_pending' else 'sending' end, created_at = one.created_at,
  send_at = one.send_at, last_error = one.last_error, copy_due_at = one.copy_due_at,
  attachment_count = one.attachment_count, scheduled_by = one.scheduled_by,
  fields = one.sealed_fields, fields_sealed = one.fields is not null
from (
  select *, coalesce(fields, convert_to(
    json_build_object('to', "to", 'cc', cc, 'bcc', bcc, 'subject', subject)::text, 'UTF8')) as sealed_fields
  from scheduled_messages
) one where one.id = message.id and one.queued;

-- What waits for its time, was begun and is not in the outbound queue, or has failed.
insert into outbound_messages (id, organization_id, mailbox_id, kind, sender, smtp_utf8, eight_bit, size_bytes, created_at,
    state, queued_at, send_at, allowance_due, fields, fields_sealed, attachment_count, scheduled_by, last_error, failed_at)
  select id, organization_id, mailbox_id, 'scheduled', sender,
    -- What was composed here is ASCII unless an internationalised address stands in it.
    array_to_string(recipients, '') ~ '[^\x01-\x7f]', false, size_bytes, created_at,
    case status when 'pending' then 'scheduled' else status end, send_at, send_at,
    cardinality(recipients), coalesce(fields, convert_to(
      json_build_object('to', "to", 'cc', cc, 'bcc', bcc, 'subject', subject)::text, 'UTF8')), fields is not null,
    attachment_count, scheduled_by, last_error, failed_at
  from scheduled_messages where not queued;
insert into outbound_pieces (message_id, number, bytes, sealed)
  select scheduled_id, number, bytes, sealed from scheduled_pieces
  where scheduled_id in (select id from scheduled_messages where not queued);
insert into outbound_recipients (message_id, organization_id, recipient, route, state, attempts, cut_short, lease_epoch,
    due_at, leased_until)
  select id, organization_id, recipient, '',
    case when status <> 'sending' then 'held' when claimed_until is not null then 'sending'
      when cut_short > 0 then 'suspect' else 'waiting' end,
    attempts, cut_short, epoch, coalesce(due_at, send_at), case when status = 'sending' then claimed_until end
  from scheduled_messages cross join unnest(recipients) as recipient where not queued;

create index outbound_messages_listed on outbound_messages (organization_id, send_at, id)
  where state in ('scheduled', 'sending', 'failed');
create index outbound_messages_scheduled on outbound_messages (organization_id, send_at, id) where state = 'scheduled';
create index outbound_messages_failed on outbound_messages (failed_at) where state = 'failed';
create index outbound_messages_copies on outbound_messages (copy_due_at) where state = 'copy_pending';
alter table outbound_messages
  add check ((state = 'uncomposed') = (source is not null)),
  add check ((state = 'failed') = (failed_at is not null)),
  add check ((state = 'copy_pending') = (copy_due_at is not null)),
  add check (state not in ('scheduled', 'sending', 'failed', 'copy_pending')
    or (send_at is not null and fields is not null and attachment_count is not null and scheduled_by is not null));

-- The plan's caps count what has a time to be sent at: all that the list shows, and what lacks its copy for Sent.
drop table scheduled_pieces, scheduled_messages;
delete from scheduled_usage;
insert into scheduled_usage (organization_id, messages, bytes)
  select organization_id, count(*), sum(size_bytes) from outbound_messages where send_at is not null
  group by organization_id;

create or replace function count_scheduled() returns trigger language plpgsql as $$
declare over record;
begin
  insert into scheduled_usage as usage (organization_id, messages, bytes)
    select organization_id, count(*), sum(size_bytes) from new_rows where send_at is not null
    group by organization_id order by organization_id
    on conflict (organization_id) do update
      set messages = usage.messages + excluded.messages, bytes = usage.bytes + excluded.bytes;
  if not found then return null; end if;
  for over in
    select usage.messages > plans.scheduled_messages as many, plans.scheduled_messages, plans.scheduled_bytes
    from scheduled_usage usage
    join organizations on organizations.id = usage.organization_id
    join plans on plans.name = organizations.plan
    where usage.organization_id in (select organization_id from new_rows where send_at is not null)
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
create trigger count_scheduled after insert on outbound_messages
  referencing new table as new_rows for each statement execute function count_scheduled();

-- Rows are locked in one order, so that two workers that end messages of the same organizations never wait in a circle.
create or replace function discount_scheduled() returns trigger language plpgsql as $$
begin
  perform from scheduled_usage
    where organization_id in (select organization_id from old_rows where send_at is not null)
    order by organization_id for update;
  if not found then return null; end if;
  update scheduled_usage usage set messages = usage.messages - gone.messages, bytes = usage.bytes - gone.bytes
    from (
      select organization_id, count(*) as messages, sum(size_bytes) as bytes from old_rows where send_at is not null
      group by organization_id
    ) gone
    where usage.organization_id = gone.organization_id;
  return null;
end $$;
create trigger discount_scheduled after delete on outbound_messages
  referencing old table as old_rows for each statement execute function discount_scheduled();

-- One that is signed anew may have another size; one that leaves the list while some of its recipients wait is not counted.
create function recount_scheduled() returns trigger language plpgsql as $$
begin
  update scheduled_usage
    set messages = messages - (new.send_at is null)::integer,
      bytes = bytes - old.size_bytes + case when new.send_at is null then 0 else new.size_bytes end
    where organization_id = old.organization_id;
  return null;
end $$;
create trigger recount_scheduled after update of size_bytes, send_at on outbound_messages for each row
  when (old.send_at is not null and (new.send_at is null or new.size_bytes <> old.size_bytes))
  execute function recount_scheduled();
