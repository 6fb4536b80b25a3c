-- What a key is restricted to; null: not at all. Mailboxes are held by id, which nothing clears once they are gone: a mailbox
-- that is made anew under the same address is another one, and a key whose mailboxes are all gone still sees no other.

alter table api_keys
  add column mailbox_ids uuid[] check (cardinality(mailbox_ids) > 0),
  add column recipients text[] check (cardinality(recipients) > 0), -- addresses and @domains, in canonical form
  add column networks text[] check (cardinality(networks) > 0), -- 192.0.2.0/24, 2001:db8::/32
  add column requests_per_minute integer check (requests_per_minute between 1 and 599);
