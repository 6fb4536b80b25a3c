-- The key that scheduled a message. Null where a member did, and where it was scheduled before.
alter table outbound_messages add column scheduled_by_key uuid;
