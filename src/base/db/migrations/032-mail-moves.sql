-- All mail being carried to another mail host, so that a move that was killed goes on where it was (docs/mail-host.md).
alter table installation
  add column mail_mover uuid, -- the process that carries, and until when nobody else does
  add column mail_mover_until timestamptz(3);

-- The messages of a mailbox that are in hand: in both places, perhaps, until their row goes.
create table mail_moves (
  mailbox_id uuid primary key references mailboxes on delete cascade,
  folder text not null, -- that they leave, as it is called there
  uids bigint[] not null, -- in it
  uid_validity bigint not null, -- of the folder on the IMAP server
  uid_next bigint not null -- there, before any of them came; 0 where they leave it
);
