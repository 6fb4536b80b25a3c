-- Members, and how they sign in. A password, a passkey or a second factor is that of a membership: who is a member of several
-- organizations has several.

create table members (
  id uuid primary key default gen_random_uuid(),
  organization_id uuid not null references organizations on delete cascade,
  email text not null,
  name text not null default '',
  role text not null check (role in ('owner', 'admin', 'member')),
  joined_at timestamptz(3) not null default now(),
  unique (organization_id, id)
);
create unique index members_email on members (organization_id, lower(email));
-- Who signs in need not name an organization.
create index members_by_email on members (lower(email));

-- A link to sign in, which works once. A new one replaces the one before. Signing in deletes it in the transaction that makes the
-- session. Of its token, as of a session's, only the SHA-256 is stored.
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
  last_used_at timestamptz(0) not null, -- to the minute; written together with those of other sessions
  confirmed_at timestamptz(3) not null, -- when the member last proved who they are
  client_address text not null,
  user_agent text not null,
  foreign key (organization_id, member_id) references members (organization_id, id) on delete cascade
);
create index member_sessions_member on member_sessions (organization_id, member_id, created_at);

create table member_passwords (
  organization_id uuid not null,
  member_id uuid not null,
  hash text not null, -- argon2id, as a PHC string
  set_at timestamptz(3) not null,
  primary key (organization_id, member_id),
  foreign key (organization_id, member_id) references members (organization_id, id) on delete cascade
);

-- A second factor: codes by time (RFC 6238), from a secret that the member's application has too.
create table member_totp (
  organization_id uuid not null,
  member_id uuid not null,
  secret bytea not null, -- sealed
  enabled_at timestamptz(3), -- null until a first code has shown that the application has the secret
  last_step bigint, -- the newest 30 seconds of which a code was used; no code of these or of earlier ones is accepted again
  primary key (organization_id, member_id),
  foreign key (organization_id, member_id) references members (organization_id, id) on delete cascade
);

-- Each stands in for a code, once. They are random, so a plain SHA-256 is enough.
create table member_recovery_codes (
  organization_id uuid not null,
  member_id uuid not null,
  hash bytea not null,
  primary key (organization_id, member_id, hash),
  foreign key (organization_id, member_id) references member_totp (organization_id, member_id) on delete cascade
);

-- WebAuthn credentials.
create table member_passkeys (
  id uuid primary key default gen_random_uuid(),
  organization_id uuid not null,
  member_id uuid not null,
  credential_id bytea not null unique, -- chosen by the authenticator; a sign-in names nothing else
  public_key bytea not null, -- in COSE (RFC 9052)
  counter bigint not null, -- of signatures; it stays 0 where the passkey is kept on several devices
  transports text[] not null, -- how a browser may reach the authenticator
  name text not null,
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3),
  foreign key (organization_id, member_id) references members (organization_id, id) on delete cascade
);
create index member_passkeys_member on member_passkeys (organization_id, member_id, created_at);

-- What an authenticator is to sign: once, and soon.
create table passkey_challenges (
  hash bytea primary key, -- SHA-256
  purpose text not null check (purpose in ('add', 'sign_in', 'confirm')),
  session_id uuid, -- in which it was requested; null of a sign-in
  expires_at timestamptz(3) not null,
  check ((session_id is null) = (purpose = 'sign_in'))
);

-- What a provider of OpenID Connect was asked, until the browser comes back with its answer: for ten minutes, and once.
create table single_sign_ons (
  hash bytea primary key, -- SHA-256 of the token in the browser's cookie: no other browser can use the answer
  state text not null,
  nonce text not null,
  verifier text not null, -- of PKCE
  return_to text not null, -- a path of ours
  organization text, -- as who signs in names it
  organization_id uuid, -- with the session that is confirmed; null for a sign-in
  session_id uuid references member_sessions (id) on delete cascade,
  begun_at timestamptz(3) not null
);

-- Who a member is at the provider. An address may be given to another person, a subject never is.
create table member_identities (
  organization_id uuid not null,
  member_id uuid not null,
  issuer text not null,
  subject text not null,
  primary key (organization_id, member_id),
  foreign key (organization_id, member_id) references members (organization_id, id) on delete cascade
);
create index member_identities_by_subject on member_identities (issuer, subject);
