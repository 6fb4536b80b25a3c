-- Words are found by the three characters of which each text in them consists. Before a part stands its organization, so that what others
-- write costs nobody time.

create function word_parts(organization_id uuid, word text) returns text[] language plpgsql immutable parallel safe cost 1000 as $$
begin
  return array(select right(organization_id::text, 8) || substr(word, at, 3) from generate_series(1, char_length(word) - 2) at);
end $$;

create index mail_words_parts on mail_words using gin (word_parts(organization_id, word)) with (gin_pending_list_limit = 512);
alter index mail_words_parts alter column 1 set statistics 0;
