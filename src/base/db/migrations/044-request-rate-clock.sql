-- A clock that is set back leaves requests and holds that lie in the future. They count no more: a key must not stay
-- without its requests until that time has come again, and the wait until then may not fit an integer.

create or replace function hold_requests(
  key uuid, holder uuid, ages integer[], wanted integer, quota integer, window_ms integer, hold_ms integer,
  out granted integer, out remaining integer, out wait_ms integer
) language plpgsql as $$
declare at timestamptz; oldest timestamptz; held integer;
begin
  perform pg_advisory_xact_lock(hashtextextended(key::text, 600));
  at := clock_timestamp();
  insert into request_uses (key_id, used_at, count)
    select key, at - age * interval '1 millisecond', count(*) from unnest(ages) age group by age;
  delete from request_uses where key_id = key
    and (used_at <= at - window_ms * interval '1 millisecond' or used_at > at);
  delete from request_holds where key_id = key
    and (process = holder or until <= at or until > at + hold_ms * interval '1 millisecond');
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
