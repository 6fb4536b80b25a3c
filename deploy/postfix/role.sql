-- The account by which Postfix reads which domains and addresses there are, and nothing else:
--   sudo -u postgres psql -v password=… -f role.sql mailroom
-- Once more with another password changes that.
select 'create role mailroom_postfix'
where not exists (select from pg_roles where rolname = 'mailroom_postfix') \gexec
alter role mailroom_postfix login password :'password';
grant select on postfix_domains, postfix_recipients, postfix_catch_alls to mailroom_postfix;
