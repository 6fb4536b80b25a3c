-- Requests of a key in the last minute, counted together by the processes of an installation. Unlogged, so that
-- counting costs no write-ahead log; what a crash of the server forgets is a minute of counting.

create unlogged table request_uses (
  key_id uuid not null,
  used_at timestamptz not null,
  count integer not null
);
create index request_uses_key on request_uses (key_id, used_at);

-- Requests that a process may let in without asking again; they count as used until it says what became of them.
create unlogged table request_holds (
  key_id uuid not null,
  process uuid not null,
  count integer not null,
  until timestamptz not null,
  primary key (key_id, process)
);

-- A process reports when it let requests in (milliseconds ago), gives back what it holds, and holds `wanted` anew as
-- far as the quota goes. Where that is not at all, `wait_ms` says when the oldest request leaves the window.
create function hold_requests(
  key uuid, holder uuid, ages integer[], wanted integer, quota integer, window_ms integer, hold_ms integer,
  out granted integer, out remaining integer, out wait_ms integer
) language plpgsql as $$
declare at timestamptz; oldest timestamptz; held integer;
begin
  perform pg_advisory_xact_lock(hashtextextended(key::text, 600));
  at := clock_timestamp();
  insert into request_uses (key_id, used_at, count)
    select key, at - age * interval '1 millisecond', count(*) from unnest(ages) age group by age;
  delete from request_uses where key_id = key and used_at <= at - window_ms * interval '1 millisecond';
  delete from request_holds where key_id = key and (process = holder or until <= at);
  select quota - coalesce(sum(count), 0), min(used_at) into remaining, oldest from request_uses where key_id = key;
  select coalesce(sum(count), 0) into held from request_holds where key_id = key;
  granted := greatest(0, least(wanted, remaining - held));
  if granted > 0 then
    insert into request_holds (key_id, process, count, until)
      values (key, holder, granted, at + hold_ms * interval '1 millisecond');
  end if;
  wait_ms := window_ms - (extract(epoch from at - coalesce(oldest, at)) * 1000)::integer;
  remaining := greatest(0, remaining);
end $$;
