-- Drafts (docs/reference/drafts.md) are messages in the folder `drafts`; `key` says which draft one is (src/out/drafts/identity.ts).

-- The messages that Mailroom made. Their Message-IDs say nothing: arriving mail can have any, and can be moved to that folder.
create table drafts (
  organization_id uuid not null,
  mailbox_id uuid not null,
  uid bigint not null, -- of the message in the folder
  key text not null,
  primary key (organization_id, mailbox_id, uid),
  foreign key (organization_id, mailbox_id) references mailboxes (organization_id, id) on delete cascade
);
create index drafts_of_key on drafts (organization_id, mailbox_id, key);

-- Drafts that were sent, noted in the transaction that puts the message into the queue: none is sent twice, and one whose message could
-- not be removed from the folder is removed later.
create table sent_drafts (
  organization_id uuid not null,
  mailbox_id uuid not null,
  key text not null,
  uid bigint not null, -- of the message that was sent, in the folder
  sent_at timestamptz(3) not null default now(),
  removed boolean not null default false,
  primary key (organization_id, mailbox_id, key, uid),
  foreign key (organization_id, mailbox_id) references mailboxes (organization_id, id) on delete cascade
);

-- Who asked that a draft be sent, and what became of it (docs/reference/drafts.md#approval).
create table draft_approvals (
  organization_id uuid not null,
  id uuid not null default gen_random_uuid(),
  mailbox_id uuid not null,
  key text not null,
  uid bigint not null, -- of its message in the folder
  digest text not null, -- SHA-256 of that message: an edited draft has another one, and is not approved
  status text not null default 'pending' check (status in ('pending', 'approved', 'declined', 'outdated')),
  requested_at timestamptz(3) not null default now(),
  requested_by jsonb not null, -- kind, id and name of an actor, as in the audit trail
  decided_at timestamptz(3),
  decided_by jsonb,
  reason text,
  sent_id uuid, -- what sending answered
  primary key (organization_id, id),
  foreign key (organization_id, mailbox_id) references mailboxes (organization_id, id) on delete cascade
);
create index draft_approvals_listed on draft_approvals (organization_id, requested_at, id);
create unique index draft_approvals_pending on draft_approvals (organization_id, mailbox_id, key) where status = 'pending';
