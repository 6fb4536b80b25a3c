-- Why mail waits for the mail server, for whoever runs the installation (docs/mail-host.md).
alter table mail_spool
  add column deferral text check (deferral in ('unavailable', 'refused')), -- of the last attempt; null before the first
  add column reason text;
