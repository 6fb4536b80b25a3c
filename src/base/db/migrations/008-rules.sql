-- Labels, filters and blocked senders. A row without a member is the organization's; one with a member is that person's own, which
-- no key may see.

create table labels (
  id uuid primary key default gen_random_uuid(),
  organization_id uuid not null references organizations on delete cascade,
  member_id uuid,
  name text not null,
  name_key text not null, -- NFC, lower case: what makes two names one
  keyword text not null, -- that messages have
  colour text not null,
  created_at timestamptz(3) not null default now(),
  unique nulls not distinct (organization_id, member_id, name_key),
  unique (organization_id, keyword),
  foreign key (organization_id, member_id) references members (organization_id, id) on delete cascade
);

-- The keyword that a deleted label left on messages: a label of the same name takes it again, and no other can.
create table retired_keywords (
  organization_id uuid not null references organizations on delete cascade,
  member_id uuid,
  name_key text not null,
  keyword text not null,
  retired_at timestamptz(3) not null default now(),
  primary key (organization_id, keyword)
);
create index retired_keywords_name on retired_keywords (organization_id, name_key);

create table filters (
  id uuid primary key default gen_random_uuid(),
  organization_id uuid not null references organizations on delete cascade,
  member_id uuid,
  name text not null,
  field text not null check (field in ('from', 'to', 'subject')),
  op text not null check (op in ('contains', 'is')),
  value text not null,
  action text not null check (action in ('move', 'label', 'star', 'read')),
  argument text check ((argument is not null) = (action in ('move', 'label'))),
  position double precision not null check (position >= 0),
  enabled boolean not null default true,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  foreign key (organization_id, member_id) references members (organization_id, id) on delete cascade
);
create index filters_order on filters (organization_id, member_id, position, created_at, id);

create table blocked_senders (
  id uuid primary key default gen_random_uuid(),
  organization_id uuid not null references organizations on delete cascade,
  member_id uuid,
  pattern text not null, -- an address or @domain
  created_at timestamptz(3) not null default now(),
  unique nulls not distinct (organization_id, member_id, pattern),
  foreign key (organization_id, member_id) references members (organization_id, id) on delete cascade
);
