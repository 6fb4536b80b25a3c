-- A search for large messages alone would go through all.
create index mail_messages_large on mail_messages (folder_id, received_at, uid) where size_bytes > 1000000;
