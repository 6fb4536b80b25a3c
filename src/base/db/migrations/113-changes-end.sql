-- Every change ends: it is continued by the process that finds it, or has failed.
alter table changes
  drop constraint changes_state_check,
  add constraint changes_state_check check (state in ('running', 'done', 'failed')),
  add column error text, -- why it failed
  add column failures integer not null default 0, -- attempts since its last step
  add column folder text, -- the work of a change that deletes a folder: moves its mail
  add column folder_key bigint, -- UIDVALIDITY
  add column move_to text;
-- Nobody continues the deletions of folders that processes have left, without these.
update changes set state = 'failed', error = 'Its process ended' where state = 'running' and kind = 'folder_deleted';
