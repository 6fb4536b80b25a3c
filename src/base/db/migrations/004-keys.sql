-- API keys, how often they are used, and the answers that are repeated for an Idempotency-Key.

create table api_keys (
  id uuid primary key default gen_random_uuid(),
  organization_id uuid not null references organizations on delete cascade,
  name text not null default '',
  hash bytea not null unique, -- SHA-256 of the key, which itself is not stored
  prefix text not null, -- this and `last_four` are what people recognise it by
  last_four text not null,
  scopes text[] not null,
  -- What it is restricted to; null: not at all. Mailboxes are listed by id, and stay in the list when they are deleted: a new mailbox
  -- with the same address is another one, and a key whose mailboxes are all deleted still sees no other.
  mailbox_ids uuid[] check (cardinality(mailbox_ids) > 0),
  recipients text[] check (cardinality(recipients) > 0), -- addresses and @domains, in canonical form
  networks text[] check (cardinality(networks) > 0), -- 192.0.2.0/24, 2001:db8::/32
  requests_per_minute integer check (requests_per_minute between 1 and 599),
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3),
  last_used_at timestamptz(0),
  revoked_at timestamptz(3)
);
create index api_keys_organization on api_keys (organization_id, created_at);

-- Written in the transaction that the answer is about. A request whose work is more than one transaction claims its key first
-- (docs/reference/http.md#idempotency-key).
create table idempotency_keys (
  organization_id uuid not null references organizations on delete cascade,
  key text not null,
  -- The request and its answer or, until it is answered, how far it has come. Sealed: an answer may hold a password, and the hash of
  -- a request would give a weak one away.
  answer bytea not null,
  claim uuid, -- of the request that runs, or that was answered; a lost claim changes nothing
  claimed_until timestamptz, -- null once it is answered
  created_at timestamptz(3) not null default now(),
  primary key (organization_id, key)
);
create index idempotency_keys_age on idempotency_keys (created_at);

-- Requests of a key in the last minute, counted by all processes together. Unlogged, so that counting costs no write-ahead log: a
-- crash of the server forgets a minute of counting.
create unlogged table request_uses (
  key_id uuid not null,
  used_at timestamptz not null,
  count integer not null
);
create index request_uses_key on request_uses (key_id, used_at);

-- Requests that a process may let in without asking again. They count as used until it says what became of them.
create unlogged table request_holds (
  key_id uuid not null,
  process uuid not null,
  count integer not null,
  until timestamptz not null,
  primary key (key_id, process)
);

-- A process reports when it let requests in (milliseconds ago), gives back what it holds, and holds `wanted` requests again, as far
-- as the quota allows. If it allows none, `wait_ms` says when the oldest request leaves the window. Requests and holds in the future
-- are left by a clock that was set back. They are deleted: the key must not wait until that time has come again, and the wait might
-- not fit an integer.
create function hold_requests(
  key uuid, holder uuid, ages integer[], wanted integer, quota integer, window_ms integer, hold_ms integer,
  out granted integer, out remaining integer, out wait_ms integer
) language plpgsql as $$
declare at timestamptz; oldest timestamptz; held integer;
begin
  perform pg_advisory_xact_lock(hashtextextended(key::text, 600));
  at := clock_timestamp();
  insert into request_uses (key_id, used_at, count)
    select key, at - age * interval '1 millisecond', count(*) from unnest(ages) age group by age;
  delete from request_uses where key_id = key
    and (used_at <= at - window_ms * interval '1 millisecond' or used_at > at);
  delete from request_holds where key_id = key
    and (process = holder or until <= at or until > at + hold_ms * interval '1 millisecond');
  select quota - coalesce(sum(count), 0), min(used_at) into remaining, oldest from request_uses where key_id = key;
  select coalesce(sum(count), 0) into held from request_holds where key_id = key;
  granted := greatest(0, least(wanted, remaining - held));
  if granted > 0 then
    insert into request_holds (key_id, process, count, until)
      values (key, holder, granted, at + hold_ms * interval '1 millisecond');
  end if;
  wait_ms := window_ms - (extract(epoch from at - coalesce(oldest, at)) * 1000)::integer;
  remaining := greatest(0, remaining);
end $$;
