-- How much mail waits for the mail server is asked for with each message that arrives, so it is counted as it changes. In
-- one row all who take mail would wait for each other's commits. So the count lies in shares: whoever changes it takes one
-- that nobody holds, or makes another, and never waits; there are as many as there have been transactions at once. What is
-- added to one may be taken from another, so that only their sum means something.

create table mail_spool_shares (
  share integer generated always as identity primary key,
  bytes bigint not null
) with (fillfactor = 50); -- so that a version is written beside the one before

create function count_spooled() returns trigger language plpgsql as $$
declare
  change bigint;
  free integer;
begin
  select case tg_op when 'INSERT' then sum(size_bytes) else -sum(size_bytes) end into change from changed;
  if coalesce(change, 0) = 0 then
    return null;
  end if;
  select share into free from mail_spool_shares limit 1 for no key update skip locked;
  if found then
    update mail_spool_shares set bytes = bytes + change where share = free;
  else
    insert into mail_spool_shares (bytes) values (change);
  end if;
  return null;
end $$;
create trigger count_spooled after insert on mail_spool
  referencing new table as changed for each statement execute function count_spooled();
create trigger discount_spooled after delete on mail_spool
  referencing old table as changed for each statement execute function count_spooled();
-- The triggers keep others from changing the spool until this is committed.
insert into mail_spool_shares (bytes)
  select total from (select sum(size_bytes) as total from mail_spool) spool where total > 0;

-- Each claim asks whether somebody delivers to the mailbox already. Most of the time nobody does, which this says without
-- a look at all that waits.
create index mail_spool_in_hand on mail_spool (mailbox_id, due_at) where in_hand;
