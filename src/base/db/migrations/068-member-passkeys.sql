-- Members sign in with passkeys (WebAuthn). Like a password, a passkey is that of a membership.
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

-- What an authenticator is to sign: once, and soon. Only the SHA-256 is kept.
create table passkey_challenges (
  hash bytea primary key,
  purpose text not null check (purpose in ('add', 'sign_in', 'confirm')),
  session_id uuid, -- in which it was asked for; null of a sign-in
  expires_at timestamptz(3) not null,
  check ((session_id is null) = (purpose = 'sign_in'))
);
