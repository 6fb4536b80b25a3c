-- Messages to be sent later. What waits, and what came of it, are rows here; docs/mail-out.md explains it.

alter table outbound_messages drop constraint outbound_messages_kind_check;
alter table outbound_messages add constraint outbound_messages_kind_check check (kind in ('sent', 'scheduled', 'notice'));

create table scheduled_messages (
  id uuid primary key,
  organization_id uuid not null references organizations on delete cascade,
  mailbox_id uuid, -- null once the mailbox is gone
  sender text not null, -- the mailbox's address
  "to" text[] not null, -- as the caller wrote them, and so are cc and bcc
  cc text[] not null,
  bcc text[] not null,
  recipients text[] not null, -- everyone, once each, in canonical form
  subject text not null,
  attachment_count integer not null,
  message_id text not null, -- the header's, the same at every attempt
  size_bytes integer not null, -- of the pieces in all
  scheduled_by text not null check (scheduled_by in ('api_key', 'member')),
  send_at timestamptz(3) not null,
  -- sent: somebody has it, and only its copy in Sent is missing
  status text not null default 'pending' check (status in ('pending', 'sending', 'failed', 'sent')),
  attempts integer not null default 0, -- that were begun before it was in the outbound queue
  due_at timestamptz(3) not null, -- while a worker has it, when its lease ends
  epoch integer not null default 0, -- goes up with every claim: one that was overtaken finds another number
  outbound_id uuid unique references outbound_messages, -- while it is in the outbound queue
  last_error text,
  failed_at timestamptz(3),
  created_at timestamptz(3) not null,
  foreign key (organization_id, mailbox_id) references mailboxes (organization_id, id) on delete set null (mailbox_id)
);
create index scheduled_messages_listed on scheduled_messages (organization_id, send_at, id) where status <> 'sent';
create index scheduled_messages_due on scheduled_messages (organization_id, due_at, id)
  where outbound_id is null and status in ('pending', 'sending');
create index scheduled_messages_mailbox on scheduled_messages (mailbox_id) where mailbox_id is not null;
create index scheduled_messages_failed on scheduled_messages (failed_at) where status = 'failed';
create index scheduled_messages_sent on scheduled_messages (due_at) where status = 'sent';

-- The message without the signatures, and the Date, that it gets when it goes.
create table scheduled_pieces (
  scheduled_id uuid not null references scheduled_messages on delete cascade,
  number integer not null, -- from 0
  bytes bytea not null, -- a MiB; the last has what is left
  primary key (scheduled_id, number)
);
alter table scheduled_pieces alter column bytes set storage external;
