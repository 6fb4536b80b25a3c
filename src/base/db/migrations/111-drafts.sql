-- The messages in the folder `drafts` that Mailroom made (docs/reference/drafts.md). Their Message-IDs say nothing: mail that arrives can
-- bear any, and can be moved there.
create table drafts (
  organization_id uuid not null,
  mailbox_id uuid not null,
  uid bigint not null, -- of the message in the folder
  key text not null, -- which draft it is (src/out/drafts/identity.ts)
  primary key (organization_id, mailbox_id, uid),
  foreign key (organization_id, mailbox_id) references mailboxes (organization_id, id) on delete cascade
);
create index drafts_of_key on drafts (organization_id, mailbox_id, key);
drop index mail_contents_drafts;
