-- The member who scheduled a message, who may be gone by now. Null where a key did, and where it was scheduled before.
alter table outbound_messages add column scheduled_by_member uuid;
