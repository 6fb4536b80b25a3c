-- What lists show of a header beside subject and addresses (src/formats/mime/header-facts.ts): date, results of authentication, ways to
-- unsubscribe. Written as a message arrives, since to read a hundred headers for a list takes longer than the list. Null: the
-- message was stored before, and is read for it.

alter table mail_contents add column facts jsonb;
