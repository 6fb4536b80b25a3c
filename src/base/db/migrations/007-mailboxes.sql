-- Mailboxes, every address that reaches one, and who may use them.

create table mailboxes (
  id uuid primary key default gen_random_uuid(),
  organization_id uuid not null references organizations on delete cascade,
  domain_id uuid not null,
  member_id uuid, -- whose own it is
  address text not null,
  local_part text not null,
  name text not null default '',
  kind text not null default 'smart' check (kind in ('smart', 'private')),
  public_key text check ((kind = 'private') = (public_key is not null)),
  -- When the certificate of a Private mailbox was found to be usable: as of then it is used for as long as the mailbox exists.
  public_key_usable_at timestamptz(3),
  password_hash text, -- argon2id; null: no mail program signs in
  suspended_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  unique (organization_id, id),
  -- Not unique in the installation: a domain that passes to another organization leaves its mailboxes, addresses and mail behind.
  unique (organization_id, address),
  check ((public_key is null) = (public_key_usable_at is null)),
  foreign key (organization_id, domain_id) references domains (organization_id, id),
  foreign key (organization_id, member_id) references members (organization_id, id) on delete set null (member_id)
);
create index mailboxes_organization on mailboxes (organization_id, created_at, id);
create index mailboxes_domain on mailboxes (domain_id);
create index mailboxes_member on mailboxes (member_id) where member_id is not null;

-- The cap of the plan.
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

-- A mailbox's own address and its aliases in one table, so that no two mailboxes can share one.
create table addresses (
  address text not null,
  organization_id uuid not null,
  mailbox_id uuid not null,
  alias boolean not null,
  primary key (organization_id, address),
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

-- For a Postfix in front: addresses without tags. Those of suspended mailboxes are among them, and refused with another reply.
create view postfix_recipients as
  select address.address, domain.domain
  from domains domain
  join addresses address on address.organization_id = domain.organization_id
    and substring(address.address from '[^@]*$') = domain.domain
  where domain.status = 'verified';

-- Who gets the mail of a domain's addresses that nobody has (docs/reference/mailboxes.md). In a table of its own, so that mailboxes refer to
-- domains and not the other way about.
create table catch_alls (
  domain_id uuid primary key,
  organization_id uuid not null,
  mailbox_id uuid not null,
  foreign key (organization_id, domain_id) references domains (organization_id, id) on delete cascade,
  foreign key (organization_id, mailbox_id) references mailboxes (organization_id, id) on delete cascade
);
create index catch_alls_mailbox on catch_alls (mailbox_id);

-- For a Postfix in front: the domains of which every address is somebody's.
create view postfix_catch_alls as
  select domain.domain from domains domain join catch_alls caught on caught.domain_id = domain.id
  where domain.status = 'verified';

-- Mailboxes that are shared with members, beside the one that is a member's own (mailboxes.member_id).
create table mailbox_access (
  organization_id uuid not null,
  mailbox_id uuid not null,
  member_id uuid not null,
  level text not null check (level in ('read', 'change', 'send')), -- each more than the one before
  given_at timestamptz(3) not null default now(),
  primary key (organization_id, mailbox_id, member_id),
  foreign key (organization_id, mailbox_id) references mailboxes (organization_id, id) on delete cascade,
  foreign key (organization_id, member_id) references members (organization_id, id) on delete cascade
);
-- A session reads what is shared with its member; removing a member looks for it too.
create index mailbox_access_member on mailbox_access (organization_id, member_id);

-- What members end their messages with, for each mailbox that they write from (docs/reference/signatures.md).
create table member_signatures (
  organization_id uuid not null,
  member_id uuid not null,
  mailbox_id uuid not null,
  text text not null,
  html text,
  primary key (organization_id, member_id, mailbox_id),
  foreign key (organization_id, member_id) references members (organization_id, id) on delete cascade,
  foreign key (organization_id, mailbox_id) references mailboxes (organization_id, id) on delete cascade
);
-- For the cascade from mailboxes.
create index member_signatures_mailbox on member_signatures (organization_id, mailbox_id);

-- Failed logins of mail programs; docs/reference/submission.md explains what is done against guessing. Clients, logins and guesses are hashes
-- under the installation's secret. Unlogged, so that guessing costs no write-ahead log: a crash of the server forgets an hour of
-- counting.
create unlogged table login_failures (
  client bytea not null,
  login bytea not null,
  guess bytea not null, -- bound to the password of that time; the same one again is no other guess
  failed_at timestamptz not null default now(),
  looked_at boolean not null default false, -- it was wrong; until then it counts, and may be tried again
  primary key (client, login, guess)
);
create index login_failures_login on login_failures (login);

-- Where somebody has logged in from.
create unlogged table login_clients (
  login bytea not null,
  client bytea not null,
  seen_at timestamptz not null default now(),
  primary key (login, client)
);
