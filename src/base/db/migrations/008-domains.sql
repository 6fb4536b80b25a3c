-- From enrolment to verified: the challenge, what the DNS was last found to say, and when to look again.
-- docs/domains.md explains it.

alter table domains
  -- Stays what it is while the enrolment lasts, since the proof is looked for again and again.
  alter column ownership_token set default replace(gen_random_uuid()::text, '-', ''),
  -- When the challenge began that is to be met: at enrolment, or when what was proven lapsed.
  add column challenged_at timestamptz(3) not null default now(),
  -- The unbroken run of answers by which the record of a proof is not there; a lookup that failed is none.
  add column ownership_missing_since timestamptz(3),
  add column ownership_missing_times integer not null default 0,
  add column receiving_missing_since timestamptz(3),
  add column receiving_missing_times integer not null default 0,
  -- What was found for each record when it was last looked at.
  add column findings jsonb not null default '[]',
  -- Until when the check that has taken the domain has it to itself; null where there is none. The epoch goes up with
  -- each: one that was overtaken finds another number and writes nothing.
  add column leased_until timestamptz(3),
  add column check_epoch integer not null default 0;

update domains set ownership_token = default where ownership_token is null;
update domains set next_check_at = now() where status <> 'failed';
alter table domains alter column ownership_token set not null;

-- The queue of checks.
create index domains_due on domains (next_check_at) where next_check_at is not null;
-- Every claim to a domain, whoever makes it.
create index domains_claims on domains (domain, id);
-- One organization has the proof of a domain, be it able to receive or not.
create unique index domains_owned on domains (domain) where ownership_verified_at is not null;

-- A domain that changes hands leaves its old mailboxes, with their addresses and their mail, where they are.
alter table mailboxes drop constraint mailboxes_address_key, add unique (organization_id, address);
alter table addresses drop constraint addresses_pkey, add primary key (organization_id, address);

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
