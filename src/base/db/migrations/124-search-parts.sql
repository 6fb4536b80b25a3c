-- Searches over IMAP find any part of what a message says, where those over HTTP find whole words of what is new in it.

alter table mail_search
  add column rest text collate "C" not null default '', -- further words: src/mail/search-index/rest-text.ts
  add column whole boolean not null default false; -- whether there are no others
alter table mail_search alter column rest set storage main, alter column rest set statistics 0;
create index mail_search_rest on mail_search using gin (search_vector(rest)) with (gin_pending_list_limit = 512);
alter index mail_search_rest alter column 1 set statistics 0;
create index mail_search_partly on mail_search (organization_id) where not whole;

-- The words of an organization's index, to find those that have a part in them.
create table mail_words (
  organization_id uuid not null references organizations (id) on delete cascade,
  word text collate "C" not null,
  primary key (organization_id, word)
);

-- All is indexed again.
insert into mail_search_queue (id, organization_id)
  select content_id, organization_id from mail_search on conflict do nothing;
truncate mail_search;
