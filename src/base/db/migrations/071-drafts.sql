-- Drafts (docs/reference/drafts.md) are messages in the folder `drafts`. One that Mailroom wrote is found by its Message-ID. That of
-- arriving mail may be of any length, so long ones are left out.
create index mail_contents_drafts on mail_contents (organization_id, message_id)
  where message_id like '<draft.%' and length(message_id) < 400;

-- Drafts that were sent, noted in the transaction that put the message into the queue: none is sent twice, and one whose message
-- could not be removed from the folder is removed later.
create table sent_drafts (
  organization_id uuid not null,
  mailbox_id uuid not null,
  key text not null, -- which draft it was (src/out/drafts/identity.ts)
  uid bigint not null, -- of the message that was sent, in the folder
  sent_at timestamptz(3) not null default now(),
  removed boolean not null default false,
  primary key (organization_id, mailbox_id, key, uid),
  foreign key (organization_id, mailbox_id) references mailboxes (organization_id, id) on delete cascade
);
