-- Members sign in through a provider of OpenID Connect.

-- What a provider was asked, until the browser comes back with its answer: for ten minutes, and once.
create table single_sign_ons (
  hash bytea primary key, -- SHA-256 of the token in the browser's cookie: no other browser has use of the answer
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

-- A provider adds members, and changes their roles by their groups.
alter table audit_entries drop constraint audit_entries_actor_kind_check;
alter table audit_entries add constraint audit_entries_actor_kind_check
  check (actor_kind in ('key', 'operator', 'member', 'service', 'single_sign_on'));
