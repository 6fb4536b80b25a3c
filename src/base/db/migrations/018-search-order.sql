-- The index says which words a message has next to each other with nothing but white space in between, for searches over IMAP.

alter table mail_search add column ordered boolean not null default false; -- whether of all words: src/mail/search-index/rest-text.ts
drop index mail_search_partly;
create index mail_search_partly on mail_search (organization_id) where not whole or not ordered;

-- As before; a tab stands between words as a space does.
create or replace function search_vector(words text) returns tsvector language plpgsql immutable parallel safe cost 1000 as $$
declare
  lines text[] := string_to_array(replace(words, E'\t', ' '), E'\n');
  found text[] := string_to_array(translate(words, E'\t\n', '  '), ' ');
  field text;
  line integer := 2;
begin
  foreach field in array array['subject/', 'from/', 'to/', 'filename/', 'cc/'] loop
    found := found || array_remove(string_to_array(replace(lines[line], ' ', ' ' || field), ' '), field);
    line := line + 1;
  end loop;
  return array_to_tsvector(array_remove(found, ''));
end $$;

-- All is indexed again.
insert into mail_search_queue (id, organization_id)
  select content_id, organization_id from mail_search on conflict do nothing;
truncate mail_search;
