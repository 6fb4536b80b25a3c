-- Members sign in: links that work once, and the sessions that they open. Of both only the SHA-256 of the token is kept.

-- A new link replaces the one before. Signing in deletes it in the transaction that makes the session.
create table member_links (
  organization_id uuid not null,
  member_id uuid not null,
  hash bytea not null unique,
  expires_at timestamptz(3) not null,
  primary key (organization_id, member_id),
  foreign key (organization_id, member_id) references members (organization_id, id) on delete cascade
);

create table member_sessions (
  id uuid primary key default gen_random_uuid(),
  organization_id uuid not null,
  member_id uuid not null,
  hash bytea not null unique,
  created_at timestamptz(3) not null,
  last_used_at timestamptz(0) not null, -- to the minute; written with those of other sessions
  confirmed_at timestamptz(3) not null, -- when the member last proved who they are
  client_address text not null,
  user_agent text not null,
  foreign key (organization_id, member_id) references members (organization_id, id) on delete cascade
);
create index member_sessions_member on member_sessions (organization_id, member_id, created_at);
