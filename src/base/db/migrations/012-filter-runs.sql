-- Runs of filters over stored mail (docs/reference/filter-runs.md). A worker continues where the last one stopped: how far a folder
-- is done, and what was counted, is written in the transaction that changes its messages.

create table filter_runs (
  id uuid primary key default gen_random_uuid(),
  organization_id uuid not null references organizations on delete cascade,
  member_id uuid, -- whose filters; null: the organization's
  filter_id uuid, -- the only one; null: all
  filters jsonb not null, -- as they were, in the order in which they run
  preview boolean not null, -- changes nothing
  named text[], -- addresses of mailboxes, as requested; null: all
  folders text[] not null,
  actor_kind text not null, -- who began it
  actor_id uuid,
  actor_name text not null,
  state text not null default 'running' check (state in ('running', 'done', 'cancelled', 'failed')),
  total bigint, -- messages to look at; null until counted
  seen bigint not null default 0,
  counts jsonb not null, -- src/rules/filters/runs/counts.ts
  sample jsonb not null default '[]',
  change_id uuid, -- of changes, by which it can be undone; null while nothing was changed
  last_error text,
  created_at timestamptz(3) not null default now(),
  finished_at timestamptz(3),
  due_at timestamptz(3) not null default now(),
  attempts integer not null default 0, -- of the current step
  leased_until timestamptz(3),
  lease_epoch integer not null default 0,
  foreign key (organization_id, member_id) references members (organization_id, id) on delete cascade
) with (fillfactor = 50);
create index filter_runs_listed on filter_runs (organization_id, created_at, id);
create index filter_runs_due on filter_runs (due_at) where finished_at is null;
create index filter_runs_running on filter_runs (organization_id) where finished_at is null;
create index filter_runs_age on filter_runs (finished_at) where finished_at is not null;
create index filter_runs_member on filter_runs (organization_id, member_id) where member_id is not null;

create table filter_run_folders (
  run_id uuid not null references filter_runs on delete cascade,
  organization_id uuid not null,
  mailbox_id uuid not null,
  folder text not null,
  uid_validity bigint, -- null until the run has looked at the folder
  last_uid bigint not null default 0, -- the highest there then: what comes later was filtered as it arrived
  uid bigint not null default 0, -- done so far
  plan jsonb, -- changes of the current step that are not done (src/rules/filters/runs/plan.ts)
  done boolean not null default false,
  primary key (run_id, mailbox_id, folder),
  foreign key (organization_id, mailbox_id) references mailboxes (organization_id, id) on delete cascade
) with (fillfactor = 50);
create index filter_run_folders_open on filter_run_folders (run_id, uid_validity nulls first) where not done;
create index filter_run_folders_mailbox on filter_run_folders (organization_id, mailbox_id);
