-- Mail for mailboxes on an IMAP server that has not taken it yet; docs/mail-host.md explains it.

create table mail_spool (
  id bigint generated always as identity primary key,
  organization_id uuid not null,
  mailbox_id uuid not null,
  folder text not null,
  bytes bytea, -- null where they are more than a MiB: then they lie in mail_spool_pieces
  size_bytes integer not null,
  message_id text,
  received_at timestamptz(3) not null,
  seen boolean not null,
  flagged boolean not null,
  keywords text[] not null,
  filtered_by jsonb not null,
  attempts integer not null default 0, -- that were begun
  in_hand boolean not null default false, -- a process delivers it, as long as its lease lasts
  due_at timestamptz(3) not null default clock_timestamp(), -- while it is in hand, when the lease ends
  foreign key (organization_id, mailbox_id) references mailboxes (organization_id, id) on delete cascade
);
alter table mail_spool alter column bytes set storage external;
create index mail_spool_mailbox on mail_spool (mailbox_id, id);

create table mail_spool_pieces (
  spool_id bigint not null references mail_spool on delete cascade,
  number integer not null, -- from 0
  bytes bytea not null, -- a MiB; the last has what is left
  primary key (spool_id, number)
);
alter table mail_spool_pieces alter column bytes set storage external;
