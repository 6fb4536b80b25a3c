-- The same as before, always by the index: planned while the tables were small, its loops read all contents for each
-- message that goes, and 500 messages out of 3,000 took more than 20 seconds.
create or replace function release_contents() returns trigger language plpgsql set enable_seqscan = off as $$
declare ids bigint[]; counts integer[];
begin
  select array_agg(content_id order by content_id), array_agg(copies order by content_id) into ids, counts
    from (select content_id, count(*)::integer as copies from old_rows group by content_id) gone;
  perform from mail_contents where id = any(ids) order by id for update;
  update mail_contents contents set copies = contents.copies - gone.copies
    from unnest(ids, counts) as gone (id, copies)
    where contents.id = gone.id;
  update organization_usage usage set storage_bytes = usage.storage_bytes - gone.bytes
    from (
      select contents.organization_id, sum(sizes.bytes) as bytes
      from (select content_id, sum(size_bytes) as bytes from old_rows group by content_id) sizes
      join mail_contents contents on contents.id = sizes.content_id
      group by contents.organization_id
    ) gone
    where usage.organization_id = gone.organization_id;
  delete from mail_contents where id = any(ids) and copies = 0;
  return null;
end $$;
