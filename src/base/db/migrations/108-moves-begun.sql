-- Of a move that a mail server was about to make: by what its messages are found there, should nobody live to be told where they are
-- (src/ports/recording.ts). Null once that is known.
alter table change_parts add column moving jsonb;
