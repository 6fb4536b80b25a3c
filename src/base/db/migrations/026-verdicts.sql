-- What SPF, DKIM and DMARC said of a message that is passed on or sent back, sealed: where its recipient is a mailbox here
-- it comes in again with that. Null where one of our own mailboxes is the author.
alter table outbound_messages add column verdict bytea;
