-- A message's own id, which moves keep and a copy does not share. It is never given twice: a sequence does not go back, and an
-- export carries it along. `saved_at` is when the message came into its folder (RFC 8514): for those that are there, when they were received.
create sequence mail_messages_id_seq;
alter table mail_messages
  add column saved_at timestamptz(3),
  add column deleted boolean not null default false,
  add column draft boolean not null default false;
-- Both in one pass over the table.
alter table mail_messages
  add column id bigint not null default nextval('mail_messages_id_seq'),
  alter column saved_at type timestamptz(3) using received_at;
alter table mail_messages
  alter column saved_at set default now(),
  alter column saved_at set not null;
alter sequence mail_messages_id_seq owned by mail_messages.id;
create unique index mail_messages_id on mail_messages (id);

-- What EXPUNGE looks for.
create index mail_messages_deleted on mail_messages (folder_id, uid) where deleted;

update mail_messages message set draft = true
  from drafts join mail_folders folder
    on folder.organization_id = drafts.organization_id and folder.mailbox_id = drafts.mailbox_id and folder.name = 'drafts'
  where message.folder_id = folder.id and message.uid = drafts.uid;
