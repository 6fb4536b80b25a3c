-- Kept answers can hold a password, and the hash of a request gives a weak one away: all of it is sealed (src/seal.ts).
-- What was kept in plain goes; it would have gone within a day.
delete from idempotency_keys;
alter table idempotency_keys
  drop column request_hash,
  drop column status,
  drop column location,
  drop column body,
  add column answer bytea not null;

-- When the certificate of a Private mailbox was found to be usable: it is used as of then for as long as the mailbox is.
alter table mailboxes add column public_key_usable_at timestamptz(3);
update mailboxes set public_key_usable_at = created_at where public_key is not null;
alter table mailboxes add check ((public_key is null) = (public_key_usable_at is null));
