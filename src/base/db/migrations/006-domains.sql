-- Domains, from enrolment to verification: the challenge, what the DNS was last found to say, and when it is asked again
-- (docs/reference/domains.md).

create table domains (
  id uuid primary key default gen_random_uuid(),
  organization_id uuid not null references organizations on delete cascade,
  domain text not null,
  status text not null default 'pending' check (status in ('pending', 'verified', 'failed')),
  -- Stays the same, since the proof is looked for again and again.
  ownership_token text not null default replace(gen_random_uuid()::text, '-', ''),
  challenged_at timestamptz(3) not null default now(), -- at enrolment, or when what was proven lapsed
  ownership_verified_at timestamptz(3),
  receiving_verified_at timestamptz(3),
  -- The unbroken run of answers by which the record of a proof is missing; a lookup that failed is none.
  ownership_missing_since timestamptz(3),
  ownership_missing_times integer not null default 0,
  receiving_missing_since timestamptz(3),
  receiving_missing_times integer not null default 0,
  findings jsonb not null default '[]', -- what the last check found for each record
  last_checked_at timestamptz(3),
  next_check_at timestamptz(3),
  -- The lease of the check that runs (src/base/db/leases.ts).
  leased_until timestamptz(3),
  lease_epoch integer not null default 0,
  -- Set if the domain is suspended by itself or with its organization: whoever asks whether it is suspended reads this alone.
  suspended_at timestamptz(3),
  suspended_apart_at timestamptz(3), -- by itself
  created_at timestamptz(3) not null default now(),
  unique (organization_id, domain),
  unique (organization_id, id)
);
-- Any number of organizations may claim a domain; one may have it.
create unique index domains_verified on domains (domain) where status = 'verified';
-- One organization has proved that it owns a domain, whether it can receive or not.
create unique index domains_owned on domains (domain) where ownership_verified_at is not null;
-- Every claim to a domain, whoever makes it.
create index domains_claims on domains (domain, id);
-- The queue of checks.
create index domains_due on domains (next_check_at) where next_check_at is not null;

-- The cap of the plan. SQLSTATE PC402 is a 402 over HTTP, whoever ran the statement.
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

-- The row of the organization is locked: an organization that is suspended at the same time either is waited for, or waits and finds
-- the domain.
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

create table dkim_keys (
  id uuid primary key,
  organization_id uuid not null,
  domain_id uuid not null,
  selector text not null,
  algorithm text not null check (algorithm in ('rsa', 'ed25519')),
  public_key text not null, -- base64, as in the record's p=
  private_key bytea not null, -- PKCS #8, sealed for this row's id
  created_at timestamptz(3) not null,
  seen_at timestamptz(3), -- when its record was first found: from then on it signs
  retires_at timestamptz(3), -- a newer one signs in its place; until then its record should stay
  unique (domain_id, selector),
  foreign key (organization_id, domain_id) references domains (organization_id, id) on delete cascade
);

-- For a Postfix in front (docs/postfix.md). Who may read the views for Postfix need not be able to read anything
-- else. Each names the domain, by which a lookup finds its rows without going through those of others. This one has the domains
-- whose mail is accepted here: who has a domain now has its mail, whoever had it before.
create view postfix_domains as select domain from domains where status = 'verified';
