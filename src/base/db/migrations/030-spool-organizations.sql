-- How much of each organization's mail waits for the mail server, counted like all of it (023-spool-size.sql): no
-- organization may have more waiting than is free for all (docs/mail-host.md). Rows of an organization go with it; a foreign
-- key would have whoever takes mail lock the organization.

create table mail_spool_organizations (
  organization_id uuid not null,
  share integer generated always as identity,
  bytes bigint not null,
  primary key (organization_id, share)
) with (fillfactor = 50);

create or replace function count_spooled() returns trigger language plpgsql as $$
declare
  change bigint;
  of_organization record;
  free integer;
begin
  select case tg_op when 'INSERT' then sum(size_bytes) else -sum(size_bytes) end into change from changed;
  if coalesce(change, 0) = 0 then
    return null;
  end if;
  select share into free from mail_spool_shares limit 1 for no key update skip locked;
  if found then
    update mail_spool_shares set bytes = bytes + change where share = free;
  else
    insert into mail_spool_shares (bytes) values (change);
  end if;
  for of_organization in
    select organization_id as id, case tg_op when 'INSERT' then sum(size_bytes) else -sum(size_bytes) end as change
    from changed group by organization_id
  loop
    select share into free from mail_spool_organizations
      where organization_id = of_organization.id limit 1 for no key update skip locked;
    if found then
      update mail_spool_organizations set bytes = bytes + of_organization.change
        where organization_id = of_organization.id and share = free;
    else
      -- An organization that is being deleted has none any more, and its mail goes after its rows.
      insert into mail_spool_organizations (organization_id, bytes)
        select id, of_organization.change from organizations where id = of_organization.id;
    end if;
  end loop;
  return null;
end $$;

create function forget_spooled() returns trigger language plpgsql as $$
begin
  delete from mail_spool_organizations where organization_id = old.id;
  return null;
end $$;
create trigger forget_spooled after delete on organizations for each row execute function forget_spooled();

lock table mail_spool in share row exclusive mode;
insert into mail_spool_organizations (organization_id, bytes)
  select organization_id, sum(size_bytes) from mail_spool group by organization_id having sum(size_bytes) > 0;
