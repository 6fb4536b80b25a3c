-- Mail that leaves. What waits, why, and when it is tried next are rows here and nowhere else: these tables are the
-- queue. docs/mail-out.md explains it.

create table outbound_messages (
  id uuid primary key,
  organization_id uuid not null references organizations on delete cascade,
  mailbox_id uuid, -- whose message it is; null once the mailbox is gone
  kind text not null check (kind in ('sent', 'notice')),
  sender text not null, -- the envelope's; empty for the null sender
  message_id text not null,
  subject text not null,
  smtp_utf8 boolean not null,
  eight_bit boolean not null,
  size_bytes integer not null,
  delivered integer not null default 0, -- recipients who have it
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null, -- who has not got it by then never will
  foreign key (organization_id, mailbox_id) references mailboxes (organization_id, id) on delete set null (mailbox_id)
);
create index outbound_messages_organization on outbound_messages (organization_id);
create index outbound_messages_mailbox on outbound_messages (mailbox_id) where mailbox_id is not null;

-- The message as it goes over the wire, the same at every attempt.
create table outbound_pieces (
  message_id uuid not null references outbound_messages on delete cascade,
  number integer not null, -- from 0
  bytes bytea not null, -- a MiB; the last has what is left
  primary key (message_id, number)
);
alter table outbound_pieces alter column bytes set storage external;

-- Whoever has not got it yet. A recipient who has it, or never will, has no row.
create table outbound_recipients (
  id bigint generated always as identity primary key,
  message_id uuid not null references outbound_messages on delete cascade,
  organization_id uuid not null,
  recipient text not null,
  route text not null, -- recipients with one route travel together
  state text not null default 'waiting' check (state in ('waiting', 'sending', 'dotted')),
  attempts integer not null default 0,
  due_at timestamptz(3) not null default now(), -- while it is not waiting, when its lease ends
  epoch integer not null default 0, -- goes up with every claim: one that was overtaken finds another number
  told_at timestamptz(3), -- when its sender was told that it is delayed
  reply text, -- of the last attempt
  reason text,
  host text
);
create index outbound_recipients_message on outbound_recipients (message_id, route);
create index outbound_recipients_waiting on outbound_recipients (organization_id, due_at, id) where state = 'waiting';
create index outbound_recipients_leased on outbound_recipients (due_at) where state <> 'waiting';
