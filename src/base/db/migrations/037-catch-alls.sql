-- Who gets the mail of a domain's addresses that nobody has; docs/mailboxes.md explains it. In a table of its own, so that
-- mailboxes refer to domains and not the other way about.

create table catch_alls (
  domain_id uuid primary key,
  organization_id uuid not null,
  mailbox_id uuid not null,
  foreign key (organization_id, domain_id) references domains (organization_id, id) on delete cascade,
  foreign key (organization_id, mailbox_id) references mailboxes (organization_id, id) on delete cascade
);
create index catch_alls_mailbox on catch_alls (mailbox_id);

-- For a Postfix in front (docs/mail-in.md, "Behind Postfix"): the domains of which any address is somebody's.
create view postfix_catch_alls as
  select domain.domain from domains domain join catch_alls caught on caught.domain_id = domain.id
  where domain.status = 'verified';
