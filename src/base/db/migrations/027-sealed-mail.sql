-- What waits to leave is kept sealed (docs/mail-out.md, "Sealed"). What waited before this migration stays as it is until
-- it has left.

alter table outbound_pieces add column sealed boolean not null default false;
alter table scheduled_pieces add column sealed boolean not null default false;

alter table outbound_messages
  drop column message_id, -- they are read from the message, where somebody is to be told of it
  drop column subject,
  add column concealed boolean not null default false; -- its recipients are sealed too, and the log does not name them

alter table scheduled_messages
  add column fields bytea, -- "to", cc, bcc and subject, sealed; null where the columns have them
  alter column "to" drop not null,
  alter column cc drop not null,
  alter column bcc drop not null,
  alter column subject drop not null;

-- Whom a Private mailbox has answered is kept as a hash from now on.
delete from auto_replies using mailboxes
  where mailboxes.id = auto_replies.mailbox_id and mailboxes.kind = 'private';
