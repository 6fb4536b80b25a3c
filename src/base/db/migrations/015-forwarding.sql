-- Where mailboxes forward their mail, and what they answer by themselves (docs/reference/forwarding.md).

-- A mailbox without a row has never been configured.
create table forwarding (
  mailbox_id uuid primary key,
  organization_id uuid not null,
  forward_enabled boolean not null default false,
  forward_to text, -- in canonical form
  forward_since timestamptz(3),
  forward_until timestamptz(3),
  forward_paused_at timestamptz(3), -- when its destination had refused too much
  forward_paused_because text,
  refused_at timestamptz(3)[] not null default '{}', -- by the destination, in the last 24 hours
  -- What goes out for the mailbox is limited. Each counter is of one UTC day.
  relayed_on date,
  relayed integer not null default 0,
  returned_on date,
  returned integer not null default 0, -- reports that went back
  replied_on date,
  replied integer not null default 0,
  reply_enabled boolean not null default false,
  reply_subject text not null default '',
  reply_body text not null default '',
  reply_since timestamptz(3),
  reply_until timestamptz(3),
  updated_at timestamptz(3) not null,
  check (not forward_enabled or forward_to is not null),
  check (not reply_enabled or reply_body <> ''),
  foreign key (organization_id, mailbox_id) references mailboxes (organization_id, id) on delete cascade
);
create index forwarding_organization on forwarding (organization_id);

-- Who was answered when, so that nobody is answered often.
create table auto_replies (
  mailbox_id uuid not null references mailboxes on delete cascade,
  sender text not null, -- in canonical form; a keyed hash of it for a Private mailbox
  replied_at timestamptz(3) not null,
  primary key (mailbox_id, sender)
);
create index auto_replies_age on auto_replies (replied_at);

-- Senders whose address is too long to be written into a return path. The id is made from the address under the installation's
-- secret, so nobody can make one up.
create table return_paths (
  id text primary key,
  address text not null,
  mailbox_id uuid not null references mailboxes on delete cascade, -- that forwarded the author's mail
  used_at timestamptz(3) not null
);
create index return_paths_age on return_paths (used_at);
create index return_paths_mailbox on return_paths (mailbox_id);

-- How many reports went back from a mailbox to one author, on the last day on which one did.
create table returned_reports (
  mailbox_id uuid not null references mailboxes on delete cascade,
  address text not null, -- in canonical form where it has one
  returned_on date not null, -- UTC
  returned integer not null,
  primary key (mailbox_id, address)
);
create index returned_reports_age on returned_reports (returned_on);
