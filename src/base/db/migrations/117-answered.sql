-- Messages that somebody has answered or forwarded from the mailbox.
alter table mail_messages
  add column answered boolean not null default false,
  add column forwarded boolean not null default false;

-- The copies of a message in a mailbox, by its Message-ID.
create index mail_messages_named on mail_messages (folder_id, id_hash) where id_hash is not null;

-- What a message answers and forwards, to be marked on the mail server as the message is delivered to it.
alter table mail_spool
  add column answered text[] not null default '{}',
  add column forwarded text[] not null default '{}';
