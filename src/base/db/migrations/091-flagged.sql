-- Starred messages, to find the conversations that have one.
create index mail_messages_flagged on mail_messages (folder_id, uid) where flagged;
