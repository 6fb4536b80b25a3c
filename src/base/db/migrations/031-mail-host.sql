-- Where the installation keeps its mail: `database`, or host and port of its IMAP server. A process that looks elsewhere
-- would take mail that nobody finds (src/mail/mailboxes/home.ts). Null until the first start of a version that knows of it.
alter table installation
  add column mail_host text,
  -- Where mail still lies that is being carried to mail_host (docs/mail-host.md); null where none is.
  add column mail_moving_from text;
