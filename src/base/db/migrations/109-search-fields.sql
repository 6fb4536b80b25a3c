-- The index has each word of subject, From, To, Cc and file names also as a word of that field, since many messages may have a word that
-- few have there: the owner's name, in the mail that they sent. The texts stay as they are; the index is made anew, by the million
-- messages in minutes.

drop index mail_search_words;

-- All words in a text, wherever they stand, and those of the fields that a search may name (src/adapters/mail-host/sql/search/index-text.ts).
create or replace function search_vector(words text) returns tsvector language plpgsql immutable parallel safe cost 1000 as $$
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

create index mail_search_words on mail_search using gin (search_vector(words)) with (gin_pending_list_limit = 512);
alter index mail_search_words alter column 1 set statistics 0;
