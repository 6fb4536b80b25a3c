-- A round of a webhook that was resumed meanwhile does not count: what it saw fail was before (docs/reference/webhooks.md).
alter table webhooks add column resumes integer not null default 0; -- how often it was resumed
