-- Has a statement that stores arriving mail fail where another transaction has changed what it began with (src/mail/store/append-statement.ts). By
-- a SQLSTATE of its own: a statement that fails for another reason must not be taken for one that is to be repeated.
create function fail_as_changed_meanwhile() returns boolean language plpgsql as $$
begin
  raise exception 'folders or arrivals have changed meanwhile' using errcode = 'PC409';
end $$;
