-- A policy of another domain holds for as long as it says, also over restarts and in every process (RFC 8461 3.3).

create table mta_sts_policies (
  domain text primary key,
  id text not null,
  mode text not null check (mode in ('enforce', 'testing', 'none')),
  mx text[] not null,
  until timestamptz not null
);
