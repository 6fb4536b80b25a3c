-- Who asked that a draft be sent, and what became of it (docs/reference/drafts.md#approval). The digest is that of the very message:
-- an edit is another one.
create table draft_approvals (
  organization_id uuid not null,
  id uuid not null default gen_random_uuid(),
  mailbox_id uuid not null,
  key text not null, -- which draft (src/out/drafts/identity.ts)
  uid bigint not null, -- of its message in the folder
  digest text not null, -- SHA-256
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
