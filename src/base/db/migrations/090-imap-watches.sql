-- What other mail programs change on an IMAP server (docs/reference/events.md). Mailboxes whose events somebody reads are
-- looked at; what a look has found there is remembered, so that the next one tells the difference.

-- Who reads the event log by themselves, roughly: noted every ten minutes.
create table event_readers (
  organization_id uuid primary key references organizations on delete cascade,
  read_at timestamptz(3) not null
);

-- The mailboxes that are looked at. A row is a queue entry: one process looks at a mailbox at a time.
create table imap_watches (
  id uuid primary key, -- the mailbox's; without a reference, so that many can be added without locking mailboxes
  organization_id uuid not null,
  looked_at timestamptz(3), -- null before the first look
  due_at timestamptz(3) not null default now(),
  leased_until timestamptz(3),
  lease_epoch integer not null default 0
);
create index imap_watches_due on imap_watches (due_at);

create function forget_imap_watch() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  delete from imap_watches where id = old.id;
  return null;
end $$;
create trigger forget_imap_watch after delete on mailboxes for each row execute function forget_imap_watch();

-- How a folder was: what came and changed up to here was told, or was not to be.
create table imap_folders (
  organization_id uuid not null,
  mailbox_id uuid not null references imap_watches on delete cascade,
  name text not null,
  uid_validity bigint not null,
  uid_next bigint not null,
  modseq bigint not null, -- 0 where the server keeps none
  messages bigint not null, -- with uids below uid_next
  primary key (mailbox_id, name)
);

-- What Mailroom has changed since: that is told already.
create table imap_changes (
  id bigint generated always as identity primary key,
  organization_id uuid not null,
  mailbox_id uuid not null references imap_watches on delete cascade,
  folder text not null,
  uid bigint not null,
  became text, -- flags and keywords; null: the message went
  before text, -- the same, of a message that was there; null of one that came
  modseq bigint, -- that message's, before
  from_folder text, -- whence a message came that was moved
  from_uid bigint,
  at timestamptz not null default clock_timestamp()
);
create index imap_changes_mailbox on imap_changes (mailbox_id, id);
