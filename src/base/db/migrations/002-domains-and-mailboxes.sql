-- Domains, mailboxes and every address that reaches one.

create table domains (
  id uuid primary key default gen_random_uuid(),
  organization_id uuid not null references organizations on delete cascade,
  domain text not null,
  status text not null default 'pending' check (status in ('pending', 'verified', 'failed')),
  ownership_token text,
  ownership_verified_at timestamptz(3),
  receiving_verified_at timestamptz(3),
  suspended_at timestamptz(3),
  last_checked_at timestamptz(3),
  next_check_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  unique (organization_id, domain),
  unique (organization_id, id)
);
-- Any number of organizations may claim a domain; one may have it.
create unique index domains_verified on domains (domain) where status = 'verified';

create table mailboxes (
  id uuid primary key default gen_random_uuid(),
  organization_id uuid not null references organizations on delete cascade,
  domain_id uuid not null,
  member_id uuid,
  address text not null unique,
  local_part text not null,
  name text not null default '',
  kind text not null default 'smart' check (kind in ('smart', 'private')),
  public_key text check ((kind = 'private') = (public_key is not null)),
  password_hash text,
  suspended_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  unique (organization_id, id),
  foreign key (organization_id, domain_id) references domains (organization_id, id),
  foreign key (organization_id, member_id) references members (organization_id, id) on delete set null (member_id)
);
create index mailboxes_organization on mailboxes (organization_id, created_at, id);
create index mailboxes_domain on mailboxes (domain_id);
create index mailboxes_member on mailboxes (member_id) where member_id is not null;

-- A mailbox's own address and its aliases in one table, so that no two mailboxes can share one.
create table addresses (
  address text primary key,
  organization_id uuid not null,
  mailbox_id uuid not null,
  alias boolean not null,
  foreign key (organization_id, mailbox_id) references mailboxes (organization_id, id) on delete cascade
);
create index addresses_mailbox on addresses (mailbox_id);

create function own_address() returns trigger language plpgsql as $$
begin
  insert into addresses (address, organization_id, mailbox_id, alias)
    values (new.address, new.organization_id, new.id, false);
  return null;
end $$;
create trigger own_address after insert on mailboxes for each row execute function own_address();

-- The caps of the plan. SQLSTATE PC402 is a 402 over HTTP, whoever ran the statement.
create function count_mailboxes() returns trigger language plpgsql as $$
declare used integer; cap integer;
begin
  if tg_op in ('DELETE', 'UPDATE') then
    update organization_usage set mailboxes = mailboxes - 1 where organization_id = old.organization_id;
  end if;
  if tg_op in ('INSERT', 'UPDATE') then
    update organization_usage set mailboxes = mailboxes + 1 where organization_id = new.organization_id
      returning mailboxes into strict used;
    select plans.mailboxes into strict cap from organizations join plans on plans.name = organizations.plan
      where organizations.id = new.organization_id;
    if used > cap then
      raise exception 'The plan allows % mailboxes', cap using errcode = 'PC402', constraint = 'mailboxes_plan_cap';
    end if;
  end if;
  return null;
end $$;
create trigger count_mailboxes after insert or delete or update of organization_id on mailboxes
  for each row execute function count_mailboxes();

create function count_domains() returns trigger language plpgsql as $$
declare used integer; cap integer;
begin
  if tg_op in ('DELETE', 'UPDATE') then
    update organization_usage set domains = domains - 1 where organization_id = old.organization_id;
  end if;
  if tg_op in ('INSERT', 'UPDATE') then
    update organization_usage set domains = domains + 1 where organization_id = new.organization_id
      returning domains into strict used;
    select plans.domains into strict cap from organizations join plans on plans.name = organizations.plan
      where organizations.id = new.organization_id;
    if used > cap then
      raise exception 'The plan allows % domains', cap using errcode = 'PC402', constraint = 'domains_plan_cap';
    end if;
  end if;
  return null;
end $$;
create trigger count_domains after insert or delete or update of organization_id on domains
  for each row execute function count_domains();
