-- One queue for all mail that leaves (docs/mail-out.md, which draws the states). What waits, why, and when it is tried next are rows
-- here and nowhere else. A scheduled message is a row with a time before which it does not go. Content is sealed.

create table outbound_messages (
  id uuid primary key,
  organization_id uuid not null references organizations on delete cascade,
  mailbox_id uuid, -- whose message it is; null once the mailbox is deleted
  kind text not null check (kind in ('sent', 'scheduled', 'notice', 'relayed', 'returned', 'reply')),
  state text not null default 'queued'
    check (state in ('uncomposed', 'queued', 'scheduled', 'sending', 'copy_pending', 'failed')),
  sender text not null, -- the envelope's; empty for the null sender
  smtp_utf8 boolean not null,
  eight_bit boolean not null,
  size_bytes integer not null,
  concealed boolean not null default false, -- its recipients are sealed too, and not logged
  -- What SPF, DKIM and DMARC said of a message that is passed on or sent back, sealed: with that it arrives in a mailbox here. Null
  -- where one of our own mailboxes is the author.
  verdict bytea,
  source bytea, -- uncomposed: what it is composed from, sealed
  created_at timestamptz(3) not null default now(),
  queued_at timestamptz(3) not null, -- when it was handed to the worker; its recipients are tried for five days from then
  allowance_due integer not null default 0, -- recipients for whom the day's allowance is not yet claimed
  -- Of a scheduled message.
  send_at timestamptz(3), -- when it goes, and its Date; null once it has left the list
  fields bytea, -- "to", cc, bcc and subject, sealed
  attachment_count integer,
  scheduled_by text check (scheduled_by in ('api_key', 'member')),
  scheduled_by_member uuid, -- who may be gone by now; null where a key did
  scheduled_by_key uuid, -- null where a member did
  answer_marks text[], -- digests of the Message-IDs that an answer names; null: it is sent in any case
  last_error text,
  failed_at timestamptz(3),
  answered_at timestamptz(3), -- of a failed one: it was cancelled by an answer
  copy_due_at timestamptz(3), -- copy_pending: when the copy for Sent is tried next
  check ((state = 'uncomposed') = (source is not null)),
  check ((state = 'failed') = (failed_at is not null)),
  check ((state = 'copy_pending') = (copy_due_at is not null)),
  check (state not in ('scheduled', 'sending', 'failed', 'copy_pending')
    or (send_at is not null and fields is not null and attachment_count is not null and scheduled_by is not null)),
  foreign key (organization_id, mailbox_id) references mailboxes (organization_id, id) on delete set null (mailbox_id)
) with (fillfactor = 50); -- a scheduled message is updated five times on its way out: mostly in its page, which no index is told of
create index outbound_messages_mailbox on outbound_messages (organization_id, mailbox_id);
create index outbound_messages_listed on outbound_messages (organization_id, send_at, id)
  where state in ('scheduled', 'sending', 'failed');
create index outbound_messages_scheduled on outbound_messages (organization_id, send_at, id) where state = 'scheduled';
create index outbound_messages_answerable on outbound_messages (organization_id)
  where state = 'scheduled' and answer_marks is not null;
create index outbound_messages_failed on outbound_messages (failed_at) where state = 'failed';
create index outbound_messages_copies on outbound_messages (copy_due_at) where state = 'copy_pending';
create trigger room before insert on outbound_messages for each statement execute function refuse_without_room();

-- The message as it is transmitted, the same at every attempt; of a scheduled message without the Date and the signatures that it gets
-- when it goes. The pieces are stored before the message: what an organization has scheduled is counted, and locked, with the message
-- until the end of the transaction, and large messages of one organization must not wait for each other's pieces.
create table outbound_pieces (
  message_id uuid not null references outbound_messages on delete cascade deferrable initially deferred,
  number integer not null, -- from 0
  bytes bytea not null, -- a MiB, sealed; the last has the rest
  primary key (message_id, number)
) with (toast_tuple_target = 8160); -- most messages have some KiB: in the row they take one write, not one for each 2 KiB
alter table outbound_pieces alter column bytes set storage external;

-- Who has not got the message yet. A recipient who has it, or never will, has no row here, but one in sent_recipients.
create table outbound_recipients (
  id bigint generated always as identity primary key,
  message_id uuid not null references outbound_messages on delete cascade,
  organization_id uuid not null,
  recipient text not null,
  route text not null, -- recipients with one route travel together
  -- suspect: the last attempt ended with its worker, perhaps because of the message. Such messages go one after the other.
  state text not null default 'waiting' check (state in ('held', 'waiting', 'suspect', 'sending')),
  attempts integer not null default 0,
  cut_short integer not null default 0, -- of the attempts: those that ended with their worker
  due_at timestamptz(3) not null default now(),
  leased_until timestamptz(3),
  lease_epoch integer not null default 0,
  end_of_data_sent boolean not null default false, -- by the attempt that is running, or it is about to be
  doubted_at timestamptz(3), -- the whole message was sent then and no reply came: nobody knows whether the recipient has it
  told_at timestamptz(3), -- when its sender was told that it is delayed
  reply text, -- of the last attempt
  reason text,
  host text,
  check ((state = 'sending') = (leased_until is not null))
) with (fillfactor = 50);
create index outbound_recipients_message on outbound_recipients (message_id, route);
create index outbound_recipients_waiting on outbound_recipients (organization_id, due_at, id) where state = 'waiting';
create index outbound_recipients_suspect on outbound_recipients (due_at, id) where state = 'suspect';
create index outbound_recipients_leased on outbound_recipients (leased_until) where leased_until is not null;
-- Recipients whose last attempt no server answered: once their route works again they are due at once (src/out/queue/unanswered.ts).
-- What was never tried, as all mail is at first, is not in it.
create index outbound_recipients_unanswered on outbound_recipients (route, id)
  where state = 'waiting' and attempts > 0 and reply is null;

-- What counts towards the plan's caps: messages with a time to be sent at, which are all that the list shows and what lacks its copy
-- for Sent.
create table scheduled_usage (
  organization_id uuid primary key references organizations on delete cascade,
  messages integer not null,
  bytes bigint not null
);

create function count_scheduled() returns trigger language plpgsql as $$
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

-- Rows are locked in one order, so that two workers that end messages of the same organizations never wait for each other.
create function discount_scheduled() returns trigger language plpgsql as $$
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

-- A message that is signed anew may have another size; one that leaves the list while some of its recipients wait is not counted.
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

-- What became of sent mail (docs/reference/sent.md): a row for each recipient whom the queue is done with, written in the transaction
-- that ends it. Who still waits is in the queue alone.
create table sent_recipients (
  id bigint generated always as identity,
  organization_id uuid not null, -- without a reference: an outcome must not lock the organization
  message_id uuid not null, -- of outbound_messages, as sending answered it
  mailbox_id uuid, -- whose message it was
  sender text not null,
  address text, -- null where a Private mailbox sent
  queued_at timestamptz(3) not null,
  state text not null check (state in ('delivered', 'bounced', 'complained')),
  at timestamptz(3) not null default clock_timestamp(), -- since when it is in that state
  status text, -- enhanced code
  reply text,
  reason text,
  host text,
  primary key (organization_id, message_id, id)
);
create index sent_recipients_listed on sent_recipients (organization_id, queued_at, message_id);
create index sent_recipients_address on sent_recipients (organization_id, address, queued_at, message_id);
create index sent_recipients_failed on sent_recipients (organization_id, queued_at, message_id) where state <> 'delivered';
create index sent_recipients_age on sent_recipients using brin (queued_at);

create function forget_sent() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  delete from sent_recipients where organization_id = old.id;
  return null;
end $$;
create trigger forget_sent after delete on organizations for each row execute function forget_sent();

-- Message-IDs that a relay gave messages in place of ours (docs/mail-out.md#relays-that-replace-the-message-id): answers and notices
-- name these. Written with the outcome that tells it.
create table replaced_message_ids (
  organization_id uuid not null, -- without a reference: an outcome must not lock the organization
  given text not null, -- the relay's, in lower case
  own text not null,
  queued_at timestamptz(3) not null, -- of the message
  primary key (organization_id, given)
);
create index replaced_message_ids_age on replaced_message_ids using brin (queued_at);

create function forget_replaced_message_ids() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  delete from replaced_message_ids where organization_id = old.id;
  return null;
end $$;
create trigger forget_replaced_message_ids after delete on organizations
  for each row execute function forget_replaced_message_ids();

-- Addresses from which mail of an organization comes back (docs/reference/suppressions.md): how often, and since when nothing is sent
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
