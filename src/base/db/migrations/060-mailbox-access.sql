-- Mailboxes that are shared with members, beside the one that is a member's own (mailboxes.member_id).

create table mailbox_access (
  organization_id uuid not null,
  mailbox_id uuid not null,
  member_id uuid not null,
  level text not null check (level in ('read', 'change', 'send')), -- each more than the one before
  given_at timestamptz(3) not null default now(),
  primary key (organization_id, mailbox_id, member_id),
  foreign key (organization_id, mailbox_id) references mailboxes (organization_id, id) on delete cascade,
  foreign key (organization_id, member_id) references members (organization_id, id) on delete cascade
);
-- A session reads what is shared with its member; removing a member looks for it too.
create index mailbox_access_member on mailbox_access (organization_id, member_id);
