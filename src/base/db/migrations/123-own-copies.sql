-- Mailroom's own copy in Sent of a message that a mail program submits. Most programs then store theirs: until this time that takes the place
-- of ours, which is recognised by its Message-ID.
alter table mail_messages add column yields_until timestamptz(3);
