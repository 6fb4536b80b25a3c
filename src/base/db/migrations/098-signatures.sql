-- What members end their messages with, for each mailbox that they write from (docs/reference/signatures.md).

create table member_signatures (
  organization_id uuid not null,
  member_id uuid not null,
  mailbox_id uuid not null,
  text text not null,
  html text,
  primary key (organization_id, member_id, mailbox_id),
  foreign key (organization_id, member_id) references members (organization_id, id) on delete cascade,
  foreign key (organization_id, mailbox_id) references mailboxes (organization_id, id) on delete cascade
);
-- A mailbox that is deleted takes them along.
create index member_signatures_mailbox on member_signatures (organization_id, mailbox_id);
