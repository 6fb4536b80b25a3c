-- What IMAP calls a message (RFC 8474, EMAILID), where that is not its id: a copy is called as what it was copied from. `succeeds` is the id
-- of that, if it is in the same mailbox: a copy takes the id over if it was made about when the other was marked as deleted, which is then
-- expunged.
alter table mail_messages
  add column email_id bigint,
  add column succeeds bigint,
  add column deleted_at timestamptz(3);
create index mail_messages_succeeds on mail_messages (succeeds) where succeeds is not null;
