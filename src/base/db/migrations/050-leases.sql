-- Queues whose rows processes claim name the lease alike (src/base/db/leases.ts): until when it lasts, null while nobody has the
-- row, and the epoch, which goes up with each claim.

alter table domains rename column check_epoch to lease_epoch;

alter table mail_spool
  add column leased_until timestamptz(3),
  add column lease_epoch integer not null default 0;
update mail_spool set leased_until = due_at, lease_epoch = attempts where in_hand;
drop index mail_spool_in_hand;
alter table mail_spool drop column in_hand;
-- Each claim asks whether somebody delivers to the mailbox already. Most of the time nobody does, which this says without
-- a look at all that waits.
create index mail_spool_leased on mail_spool (mailbox_id) where leased_until is not null;
