-- Changes of many messages, so that they can be undone (docs/reference/changes.md).

create table changes (
  id uuid primary key default gen_random_uuid(),
  organization_id uuid not null, -- without references: who changes messages must not lock the organization, nor the mailbox last
  mailboxes uuid[] not null, -- those whose messages it may change
  kind text not null check (kind in ('messages', 'filters', 'label_removed', 'labels_merged', 'folder_deleted', 'undo')),
  actor_kind text not null,
  actor_id uuid,
  actor_name text not null,
  messages integer not null default 0, -- changed
  left_alone integer not null default 0, -- by an undo
  at timestamptz not null default clock_timestamp(),
  -- Every change ends: it is continued by the process that finds it, or has failed.
  state text not null check (state in ('running', 'done', 'failed')),
  error text, -- why it failed
  failures integer not null default 0, -- attempts since its last step
  undoes uuid, -- another change
  undone_by uuid,
  -- The work of a change that takes a label from all messages.
  remove_keyword text,
  add_keyword text, -- in its place
  -- The work of a change that deletes a folder: moves its mail.
  folder text,
  folder_key bigint, -- UIDVALIDITY
  move_to text,
  leased_until timestamptz(3),
  lease_epoch integer not null default 0
);
create index changes_listed on changes (organization_id, at, id);
create index changes_age on changes using brin (at);
create index changes_running on changes (at) where state = 'running';
-- Who asks for a change that is running gets that one.
create index changes_running_in on changes (organization_id, at) where state = 'running';

-- Messages of one folder that were changed in the same way: what of each differs from before, and nothing else.
create table change_parts (
  id bigint generated always as identity primary key,
  change_id uuid not null references changes on delete cascade,
  mailbox_id uuid not null,
  folder_key bigint not null, -- UIDVALIDITY
  folder text not null,
  uids bigint[] not null,
  from_key bigint, -- null where they were not moved
  from_folder text,
  from_uids bigint[], -- in the order of uids
  seen boolean, -- null where it is as before
  flagged boolean,
  added text[] not null,
  removed text[] not null,
  undone_uids bigint[] not null default '{}', -- of uids: those that were put back or left alone
  undone boolean not null default false,
  left_alone jsonb not null default '[]'
);
create index change_parts_of on change_parts (change_id, id);
create index change_parts_moved on change_parts (mailbox_id, from_key, id);

create function forget_changes_of_organization() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  delete from changes where organization_id = old.id;
  return null;
end $$;
create trigger forget_changes after delete on organizations
  for each row execute function forget_changes_of_organization();

-- What is left of a change of several mailboxes can be undone in the others.
create function forget_changes_of_mailbox() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  with gone as (
    delete from change_parts where mailbox_id = old.id returning change_id
  ), other as (
    update changes set mailboxes = array_remove(mailboxes, old.id)
    where id in (select change_id from gone) and mailboxes <> array[old.id]
  )
  delete from changes where id in (select change_id from gone) and mailboxes = array[old.id];
  return null;
end $$;
create trigger forget_changes after delete on mailboxes for each row execute function forget_changes_of_mailbox();
