-- What a Postfix in front of Mailroom looks up here (docs/mail-in.md, "Behind Postfix"). Whoever may read these views need not be
-- able to read anything else. Each names the domain, by which a lookup finds its rows without going through all others'.

-- Mail for them is taken here. Who has a domain now has its mail, whoever had it before.
create view postfix_domains as select domain from domains where status = 'verified';

-- Addresses that somebody has, without tags; suspended ones too, which are refused in other words.
create view postfix_recipients as
  select address.address, domain.domain
  from domains domain
  join addresses address on address.organization_id = domain.organization_id
    and substring(address.address from '[^@]*$') = domain.domain
  where domain.status = 'verified';

-- Who may send as which address, by the name under which Dovecot knows a mailbox.
create view postfix_senders as
  select address.address, domain.domain, address.mailbox_id::text as login
  from domains domain
  join addresses address on address.organization_id = domain.organization_id
    and substring(address.address from '[^@]*$') = domain.domain
  join mailboxes mailbox on mailbox.id = address.mailbox_id
  where domain.status = 'verified' and domain.suspended_at is null and mailbox.suspended_at is null;
