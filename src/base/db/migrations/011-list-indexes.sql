-- Each list of messages in an index of its own, and the totals of labels as counters. docs/mail-host.md explains it.

create index mail_messages_read on mail_messages (folder_id, received_at, uid) where seen;

alter table mail_keywords add column seen boolean; -- as in mail_messages
update mail_keywords label set seen = message.seen from mail_messages message
  where message.folder_id = label.folder_id and message.uid = label.uid;
alter table mail_keywords alter column seen set not null;
create index mail_keywords_read on mail_keywords (folder_id, keyword, received_at, uid) where seen;
create index mail_keywords_unread on mail_keywords (folder_id, keyword, received_at, uid) where not seen;

-- Changed under the lock on the folder, as the rows that are counted.
create table mail_keyword_totals (
  folder_id bigint not null,
  keyword text not null,
  total integer not null check (total >= 0),
  unread integer not null check (unread between 0 and total),
  primary key (folder_id, keyword)
);
insert into mail_keyword_totals (folder_id, keyword, total, unread)
  select folder_id, keyword, count(*), count(*) filter (where not seen) from mail_keywords group by folder_id, keyword;

create function count_keywords_in() returns trigger language plpgsql as $$
begin
  insert into mail_keyword_totals as held (folder_id, keyword, total, unread)
    select folder_id, keyword, count(*), count(*) filter (where not seen) from new_rows group by folder_id, keyword
    on conflict (folder_id, keyword) do update
      set total = held.total + excluded.total, unread = held.unread + excluded.unread;
  return null;
end $$;
create trigger count_keywords_in after insert on mail_keywords
  referencing new table as new_rows for each statement execute function count_keywords_in();

create function count_keywords_out() returns trigger language plpgsql as $$
begin
  update mail_keyword_totals held set total = held.total - gone.total, unread = held.unread - gone.unread
    from (
      select folder_id, keyword, count(*) as total, count(*) filter (where not seen) as unread
      from old_rows group by folder_id, keyword
    ) gone
    where held.folder_id = gone.folder_id and held.keyword = gone.keyword;
  return null;
end $$;
create trigger count_keywords_out after delete on mail_keywords
  referencing old table as old_rows for each statement execute function count_keywords_out();

create or replace function empty_folder() returns trigger language plpgsql as $$
begin
  delete from mail_keywords where folder_id = old.id;
  delete from mail_keyword_totals where folder_id = old.id;
  delete from mail_expunged where folder_id = old.id;
  delete from mail_messages where folder_id = old.id;
  return old;
end $$;
