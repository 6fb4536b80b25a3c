-- Mail is in these tables alone: what belonged to mail on an IMAP server goes.
drop trigger forget_spooled on organizations;
drop function forget_spooled;
drop table mail_spool_pieces, mail_spool, mail_spool_shares, mail_spool_organizations;
drop function count_spooled;

drop trigger forget_imap_watch on mailboxes;
drop function forget_imap_watch;
drop table imap_changes, imap_folders, imap_watches, event_readers;

drop view imap_accounts, postfix_senders;

drop table mail_moves;
alter table installation
  drop column mail_host,
  drop column mail_moving_from,
  drop column mail_mover,
  drop column mail_mover_until;

-- A change and its record are of one transaction.
alter table change_parts
  drop column settled,
  drop column moving;
