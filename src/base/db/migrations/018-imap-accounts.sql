-- Who may open which mailbox by IMAP, for a mail host that reads its accounts here (docs/dovecot.md). Whoever may read
-- this view need not be able to read anything else.
--
-- A mailbox is called by its id, since a domain that changes hands takes its addresses along but leaves mailboxes and
-- mail where they are: an address opens the mailbox of whoever holds the domain now. Mailroom itself comes by the id,
-- as a master user; no password fits that.
create view imap_accounts as
  select mailbox.address as login, '{ARGON2ID}' || mailbox.password_hash as password, mailbox.id as mailbox
  from mailboxes mailbox
  join domains domain on domain.id = mailbox.domain_id
  where domain.ownership_verified_at is not null and mailbox.password_hash is not null
    and mailbox.suspended_at is null and domain.suspended_at is null
  union all
  select id::text, '{CRYPT}!', id from mailboxes;
