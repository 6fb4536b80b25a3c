-- The search index has the words of a message in their order, half as large as a vector with places and weights, which say the same
-- (src/adapters/mail-host/sql/search/index-text.ts). What is there is indexed again after this migration.

drop table mail_search;

-- Of all words in a text, wherever they stand. Its cost keeps PostgreSQL from going through the table rather than the index.
create function search_vector(words text) returns tsvector language plpgsql immutable parallel safe cost 1000 as $$
begin
  return array_to_tsvector(array_remove(string_to_array(translate(words, E'\n', ' '), ' '), ''));
end $$;

create table mail_search (
  content_id bigint primary key,
  organization_id uuid not null,
  words text collate "C" not null
);
-- A list of newest messages is tried word by word: what is in line is read without a look elsewhere. Nothing is estimated.
alter table mail_search alter column words set storage main, alter column words set statistics 0;
create index mail_search_words on mail_search using gin (search_vector(words)) with (gin_pending_list_limit = 512);
alter index mail_search_words alter column 1 set statistics 0;

insert into mail_search_queue (id, organization_id) select id, organization_id from mail_contents on conflict do nothing;
