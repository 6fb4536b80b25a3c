-- Folders that a mail program has unsubscribed from (docs/reference/imap.md#folders). All others are subscribed, new ones too; what is here
-- follows a folder that is renamed, and goes with it. By the mailbox that signs in, which may read a shared one.
create table imap_unsubscribed (
  organization_id uuid not null,
  mailbox_id uuid not null,
  folder_id bigint not null references mail_folders on delete cascade,
  primary key (mailbox_id, folder_id),
  foreign key (organization_id, mailbox_id) references mailboxes (organization_id, id) on delete cascade
);
create index imap_unsubscribed_folder on imap_unsubscribed (folder_id);
