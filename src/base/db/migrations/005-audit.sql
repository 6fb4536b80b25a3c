-- The audit trail (docs/reference/audit.md). An entry is written in the transaction of the change that it is about. Entries without
-- an organization are about the installation.

create table audit_entries (
  id bigint generated always as identity primary key,
  organization_id uuid references organizations on delete cascade,
  at timestamptz(3) not null default clock_timestamp(),
  actor_kind text not null check (actor_kind in ('key', 'operator', 'member', 'service', 'single_sign_on')),
  actor_id uuid,
  actor_name text not null, -- as it was then
  client_address text,
  action text not null,
  item_id text,
  item_name text not null, -- as it was then
  before jsonb,
  after jsonb
);
create index audit_entries_listed on audit_entries (organization_id, id);
-- Members read who was given access to their mailboxes, however long the audit trail of their organization is.
create index audit_entries_of_access on audit_entries (organization_id, item_id, id)
  where action = 'mailbox.access_changed';

create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  raise exception 'entries of the audit trail cannot be changed';
end $$;
create trigger refuse_audit_change before update or truncate on audit_entries
  for each statement execute function refuse_audit_change();

-- An entry may be deleted after 400 days, or with its organization.
create function keep_audit_entries() returns trigger language plpgsql as $$
begin
  if exists (
    select from gone
    where at > now() - interval '400 days'
      and (organization_id is null or exists (select from organizations where id = gone.organization_id))
  ) then
    raise exception 'entries of the audit trail are kept for 400 days';
  end if;
  return null;
end $$;
create trigger keep_audit_entries after delete on audit_entries
  referencing old table as gone for each statement execute function keep_audit_entries();
