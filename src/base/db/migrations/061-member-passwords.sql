-- Members sign in with a password too. It is that of a membership: who is a member of several organizations has several.
create table member_passwords (
  organization_id uuid not null,
  member_id uuid not null,
  hash text not null, -- argon2id, as a PHC string
  set_at timestamptz(3) not null,
  primary key (organization_id, member_id),
  foreign key (organization_id, member_id) references members (organization_id, id) on delete cascade
);

-- Who signs in need not name an organization.
create index members_by_email on members (lower(email));
