-- The embedded mail host: folders, what lies in them, and what the messages say. docs/mail-host.md explains it.

-- The id is also the folder's UIDVALIDITY: a folder made again under an old name gets a higher one.
-- Counters change in the transaction that changes what they count, under the lock on this row, so that uids and
-- modification sequences become visible in the order in which they were given.
create table mail_folders (
  id bigint generated always as identity primary key,
  organization_id uuid not null,
  mailbox_id uuid not null,
  name text not null,
  uid_next bigint not null default 1,
  modseq bigint not null default 1, -- the highest given
  expunged_from bigint not null default 0, -- mail_expunged holds every expunge above this modseq
  total integer not null default 0 check (total >= 0),
  unread integer not null default 0 check (unread between 0 and total),
  size_bytes bigint not null default 0 check (size_bytes >= 0),
  unique (mailbox_id, name),
  foreign key (organization_id, mailbox_id) references mailboxes (organization_id, id) on delete cascade
) with (fillfactor = 50);

-- What a message says: its bytes and what was read from them. Never changes; the copies of one delivery within an
-- organization share it, and the last copy to go takes it along.
create table mail_contents (
  id bigint generated always as identity primary key,
  organization_id uuid not null references organizations on delete cascade,
  copies integer not null check (copies >= 0),
  bytes bytea not null,
  message_id text,
  thread_root text,
  subject text not null,
  from_name text,
  from_address text, -- null when there is no From
  recipients jsonb not null, -- To, as [{name, address}]
  has_attachment boolean not null,
  preview text not null
);
-- Attachments are mostly base64 of what is compressed already.
alter table mail_contents alter column bytes set storage external;

-- A message in its folder: narrow, because a changed flag writes the whole row anew and threading reads all rows.
create table mail_messages (
  folder_id bigint not null references mail_folders on delete cascade,
  uid bigint not null,
  modseq bigint not null,
  content_id bigint not null,
  received_at timestamptz(3) not null,
  size_bytes integer not null,
  seen boolean not null,
  flagged boolean not null,
  keywords text[] not null,
  sender text not null, -- bare address in lower case, '' when there is no From
  id_hash bytea, -- 8 bytes, big-endian, as are the parts of strong and weak: keyed hashes of the ids (src/mime/id-hash.ts)
  strong bytea not null, -- References first, then In-Reply-To: the first names the conversation
  weak bytea not null,
  filtered_by jsonb,
  primary key (folder_id, uid)
);
create index mail_messages_newest on mail_messages (folder_id, received_at, uid);
create index mail_messages_unread on mail_messages (folder_id, received_at, uid) where not seen;
create index mail_messages_modseq on mail_messages (folder_id, modseq);

-- mail_messages.keywords once more, to list by.
create table mail_keywords (
  folder_id bigint not null references mail_folders on delete cascade,
  keyword text not null,
  received_at timestamptz(3) not null,
  uid bigint not null,
  primary key (folder_id, keyword, received_at, uid)
);

-- What left a folder, each under a modseq of its own; only the newest entries are kept.
create table mail_expunged (
  folder_id bigint not null references mail_folders on delete cascade,
  modseq bigint not null,
  uid bigint not null,
  primary key (folder_id, modseq)
);
