-- The index of further words has each row's organization too, so that a word that others' mail often has is as quickly found as one that
-- nobody else has.

drop index mail_search_rest;
create index mail_search_rest on mail_search using gin (search_vector(rest || ' o/' || organization_id::text))
  with (gin_pending_list_limit = 512);
alter index mail_search_rest alter column 1 set statistics 0;
