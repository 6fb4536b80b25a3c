-- Logins of programs that submit mail; docs/submission.md explains what is done against guessing. Clients, logins and
-- guesses are hashes under the installation's secret. Unlogged, so that guessing costs no write-ahead log; what a crash of
-- the server forgets is an hour of counting.

create unlogged table login_failures (
  client bytea not null,
  login bytea not null,
  guess bytea not null, -- bound to the password of that time; the same one again is no other guess
  failed_at timestamptz not null default now(),
  looked_at boolean not null default false, -- it was wrong; until then it counts, and may be tried again
  primary key (client, login, guess)
);
create index login_failures_login on login_failures (login);

-- Where somebody has logged in from.
create unlogged table login_clients (
  login bytea not null,
  client bytea not null,
  seen_at timestamptz not null default now(),
  primary key (login, client)
);

-- Copies for Sent that a mail program may be about to store itself.
alter table mail_spool add column unless_there boolean not null default false;
