-- The account by which Dovecot reads who may open which mailbox, and nothing else:
--   psql -v password=… -f role.sql "$DATABASE_URL"
create role mailroom_dovecot login password :'password';
grant select on imap_accounts to mailroom_dovecot;
