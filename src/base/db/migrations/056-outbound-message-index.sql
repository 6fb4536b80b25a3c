-- A scheduled message is written anew three times in a way that every index is told of. What looked for the messages of an
-- organization finds them by this index too, and whoever removes a mailbox, by its foreign key, asks for both.

create index outbound_messages_mailbox_of on outbound_messages (organization_id, mailbox_id);
drop index outbound_messages_organization, outbound_messages_mailbox;
alter index outbound_messages_mailbox_of rename to outbound_messages_mailbox;
