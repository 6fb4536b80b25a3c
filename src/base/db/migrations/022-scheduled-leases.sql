-- A scheduled message is written five times on its way out. Written where it stands, which is where no column of an index
-- changes and its page has room, a version costs a quarter of one that every index is told of; and so it is claimed,
-- handed over and, in the queue, marked. For that each thing that it waits for has a column of its own. In the queue it
-- has its own id, so the queue need not be told which message of the list it is.

alter table scheduled_messages
  add column claimed_until timestamptz(3), -- while a worker has it that is to hand it over
  add column queued boolean not null default false, -- it is in the outbound queue, or was when somebody got it
  add column copy_due_at timestamptz(3), -- once somebody has it: when its copy for Sent is tried next
  alter column due_at drop not null, -- null once it failed, or waits in the outbound queue, or is sent
  drop constraint scheduled_messages_outbound_id_fkey;
update scheduled_messages set queued = outbound_id is not null,
  claimed_until = case when in_hand then due_at end,
  copy_due_at = case when status = 'sent' then due_at end,
  due_at = case when status in ('pending', 'sending') and outbound_id is null then due_at end;

-- As the queue has named those that are in it until now.
create temporary table renamed on commit drop as
  select id, outbound_id from scheduled_messages where outbound_id is not null;
insert into outbound_messages (id, organization_id, mailbox_id, kind, sender, message_id, subject, smtp_utf8, eight_bit,
    size_bytes, delivered, created_at, expires_at)
  select renamed.id, organization_id, mailbox_id, kind, sender, message_id, subject, smtp_utf8, eight_bit, size_bytes,
    delivered, created_at, expires_at
  from renamed join outbound_messages message on message.id = renamed.outbound_id;
update outbound_pieces set message_id = renamed.id from renamed where message_id = renamed.outbound_id;
update outbound_recipients set message_id = renamed.id from renamed where message_id = renamed.outbound_id;
delete from outbound_messages where id in (select outbound_id from renamed);

drop index scheduled_messages_listed, scheduled_messages_due, scheduled_messages_failed, scheduled_messages_sent;
alter table scheduled_messages drop column outbound_id, drop column in_hand,
  add check ((status = 'failed') = (failed_at is not null)),
  add check ((status = 'sent') = (copy_due_at is not null)),
  add check (status in ('pending', 'sending') or due_at is null),
  set (fillfactor = 50);
create index scheduled_messages_listed on scheduled_messages (organization_id, send_at, id) where copy_due_at is null;
create index scheduled_messages_due on scheduled_messages (organization_id, due_at, id) where due_at is not null;
create index scheduled_messages_failed on scheduled_messages (failed_at) where failed_at is not null;
create index scheduled_messages_sent on scheduled_messages (copy_due_at) where copy_due_at is not null;

alter table outbound_recipients
  add column dotted boolean not null default false; -- the attempt that is under way has sent the dot, or is about to
update outbound_recipients set state = 'sending', dotted = true where state = 'dotted';
alter table outbound_recipients
  drop constraint outbound_recipients_state_check,
  add check (state in ('waiting', 'sending')),
  set (fillfactor = 50);
