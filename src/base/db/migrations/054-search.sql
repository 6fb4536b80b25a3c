-- A full-text index of stored messages (docs/reference/search.md). The program folds and divides words itself, so no extension
-- and no text search configuration is needed, and both databases find the same.

create table mail_search (
  content_id bigint primary key,
  organization_id uuid not null,
  words tsvector not null
);
-- A list of newest messages is tried word by word: what is in line is read without a look elsewhere. Nothing is estimated.
alter table mail_search alter column words set storage main, alter column words set statistics 0;
create index mail_search_words on mail_search using gin (words) with (gin_pending_list_limit = 512);

-- Contents that a worker has yet to index, newest first. Those that are there are indexed after this migration.
create table mail_search_queue (
  id bigint primary key, -- of the content
  organization_id uuid not null,
  leased_until timestamptz(3),
  lease_epoch integer not null default 0
) with (fillfactor = 50);
create index mail_search_queue_organization on mail_search_queue (organization_id);
insert into mail_search_queue (id, organization_id) select id, organization_id from mail_contents;

-- Where a content lies.
create index mail_messages_content on mail_messages (content_id);

-- As before, and the index goes with the content. Whoever adds to the index locks the content first.
create or replace function release_contents() returns trigger language plpgsql set enable_seqscan = off as $$
declare ids bigint[]; counts integer[]; gone_ids bigint[];
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
  with gone as (delete from mail_contents where id = any(ids) and copies = 0 returning id)
    select array_agg(id) into gone_ids from gone;
  delete from mail_search where content_id = any(gone_ids);
  delete from mail_search_queue where id = any(gone_ids);
  return null;
end $$;
