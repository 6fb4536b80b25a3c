-- The bytes of large messages, in pieces: a message of 25 MiB in one value is copied several times over, by us and by
-- PostgreSQL, each time it is stored or read, and nothing else is done meanwhile. docs/mail-host.md explains it.

-- Null where the bytes lie in mail_pieces, which is where they are more than a MiB.
alter table mail_contents alter column bytes drop not null;

create table mail_pieces (
  content_id bigint not null references mail_contents (id) on delete cascade,
  number integer not null, -- from 0
  bytes bytea not null, -- a MiB; the last has what is left
  primary key (content_id, number)
);
alter table mail_pieces alter column bytes set storage external;

insert into mail_pieces (content_id, number, bytes)
  select id, number, substring(bytes from number * 1048576 + 1 for 1048576)
  from mail_contents, generate_series(0, (octet_length(bytes) - 1) / 1048576) as number
  where octet_length(bytes) > 1048576;
update mail_contents set bytes = null where octet_length(bytes) > 1048576;
