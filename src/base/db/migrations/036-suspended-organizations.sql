-- An organization can be suspended; docs/operations.md says what that means. Whoever asks whether a domain is suspended
-- asks for both: `suspended_at` is set where the domain is suspended by itself or with its organization.

alter table organizations add column suspended_at timestamptz(3);
alter table domains add column suspended_apart_at timestamptz(3); -- by itself
update domains set suspended_apart_at = suspended_at where suspended_at is not null;

-- Whoever suspends the organization meanwhile is waited for, or waits and finds the domain.
create function suspend_domain() returns trigger language plpgsql as $$
begin
  new.suspended_at = coalesce(new.suspended_apart_at,
    (select suspended_at from organizations where id = new.organization_id for share));
  return new;
end $$;
create trigger suspend_domain before insert or update of suspended_apart_at on domains
  for each row execute function suspend_domain();

create function suspend_domains() returns trigger language plpgsql as $$
begin
  update domains set suspended_at = coalesce(suspended_apart_at, new.suspended_at) where organization_id = new.id;
  return null;
end $$;
create trigger suspend_domains after update of suspended_at on organizations
  for each row execute function suspend_domains();
