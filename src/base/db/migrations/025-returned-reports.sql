-- What goes back to authors of forwarded mail, and what is answered, is limited; docs/forwarding.md explains it.

-- The mailbox that forwarded the author's mail. Null in rows from before this migration, to which nothing is added.
alter table return_paths add column mailbox_id uuid references mailboxes on delete cascade;
create index return_paths_mailbox on return_paths (mailbox_id);

alter table forwarding
  add column returned_on date, -- the UTC day that `returned` counts
  add column returned integer not null default 0, -- reports that went back for this mailbox
  add column replied_on date, -- the UTC day that `replied` counts
  add column replied integer not null default 0;

-- How many reports went back from a mailbox to one author, on the last day on which one did.
create table returned_reports (
  mailbox_id uuid not null references mailboxes on delete cascade,
  address text not null, -- in canonical form where it has one
  returned_on date not null, -- UTC
  returned integer not null,
  primary key (mailbox_id, address)
);
create index returned_reports_age on returned_reports (returned_on);
