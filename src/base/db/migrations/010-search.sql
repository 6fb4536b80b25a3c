-- The search index (docs/database.md#search-index). The program folds and divides words itself, so no extension and no text search
-- configuration is needed, and both databases find the same.

-- All words in a text, wherever they stand, and those of the fields that a search may name once more with the field
-- (src/mail/search-index/index-text.ts): few messages may have a word there that many have elsewhere, such as the owner's name in the
-- mail that they sent. The cost keeps PostgreSQL from going through the table rather than the index.
create function search_vector(words text) returns tsvector language plpgsql immutable parallel safe cost 1000 as $$
declare
  lines text[] := string_to_array(words, E'\n');
  found text[] := string_to_array(translate(words, E'\n', ' '), ' ');
  field text;
  line integer := 2;
begin
  foreach field in array array['subject/', 'from/', 'to/', 'filename/', 'cc/'] loop
    found := found || array_remove(string_to_array(replace(lines[line], ' ', ' ' || field), ' '), field);
    line := line + 1;
  end loop;
  return array_to_tsvector(array_remove(found, ''));
end $$;

-- A content's words in their order, which takes half the room of a vector with places and weights.
create table mail_search (
  content_id bigint primary key,
  organization_id uuid not null,
  words text collate "C" not null,
  -- What IMAP's SEARCH finds beyond that, which looks for any part of the message's text.
  rest text collate "C" not null default '', -- further words: src/mail/search-index/rest-text.ts
  whole boolean not null default false -- whether there are no others
);
-- The newest messages are compared word by word, and what is stored in line is read without a look elsewhere. No statistics, since
-- nothing is estimated by them.
alter table mail_search
  alter column words set storage main, alter column words set statistics 0,
  alter column rest set storage main, alter column rest set statistics 0;
create index mail_search_words on mail_search using gin (search_vector(words)) with (gin_pending_list_limit = 512);
alter index mail_search_words alter column 1 set statistics 0;
-- With the organization of each row, so that a word that is frequent in the mail of others is found as quickly as one that is not.
create index mail_search_rest on mail_search using gin (search_vector(rest || ' o/' || organization_id::text))
  with (gin_pending_list_limit = 512);
alter index mail_search_rest alter column 1 set statistics 0;
create index mail_search_partly on mail_search (organization_id) where not whole;

-- The words of an organization's index, to find those that have a part in them.
create table mail_words (
  organization_id uuid not null references organizations (id) on delete cascade,
  word text collate "C" not null,
  primary key (organization_id, word)
);

-- All that a word has of three characters. Before each stands the organization, so that what others write costs nobody time.
create function word_parts(organization_id uuid, word text) returns text[] language plpgsql immutable parallel safe cost 1000 as $$
begin
  return array(select right(organization_id::text, 8) || substr(word, at, 3) from generate_series(1, char_length(word) - 2) at);
end $$;

create index mail_words_parts on mail_words using gin (word_parts(organization_id, word)) with (gin_pending_list_limit = 512);
alter index mail_words_parts alter column 1 set statistics 0;

-- Contents that a worker has yet to index, newest first.
create table mail_search_queue (
  id bigint primary key, -- of the content
  organization_id uuid not null,
  leased_until timestamptz(3),
  lease_epoch integer not null default 0
) with (fillfactor = 50);
create index mail_search_queue_organization on mail_search_queue (organization_id);
