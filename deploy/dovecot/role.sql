-- The account by which Dovecot reads who may open which mailbox, and nothing else:
--   sudo -u postgres psql -v password=… -f role.sql mailroom
-- Once more with another password changes that.
select 'create role mailroom_dovecot'
where not exists (select from pg_roles where rolname = 'mailroom_dovecot') \gexec
alter role mailroom_dovecot login password :'password';
grant select on imap_accounts to mailroom_dovecot;
