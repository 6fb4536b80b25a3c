-- Refuses what makes mail grow while the reserve of the disk under the embedded database is not whole
-- (src/base/db/embedded/reserve.ts), so that the rest is there to delete mail with. On a server the setting does not exist, and the
-- function that reads the size of a file is not reached, which not everybody may call.
create function refuse_without_room() returns trigger language plpgsql as $$
begin
  if current_setting('mailroom.reserve_bytes', true) is null then
    return null;
  end if;
  -- Null where there is no reserve: no service runs, but a command.
  if (pg_stat_file('reserve', true)).size < current_setting('mailroom.reserve_bytes')::bigint then
    raise exception 'The disk is full: only what is kept to delete mail with is left' using errcode = 'disk_full';
  end if;
  return null;
end $$;

-- Once for each statement, however many rows it has.
create trigger room before insert on mail_contents for each statement execute function refuse_without_room();
create trigger room before insert on mail_pieces for each statement execute function refuse_without_room();
create trigger room before insert on mail_spool for each statement execute function refuse_without_room();
create trigger room before insert on outbound_messages for each statement execute function refuse_without_room();
