-- Message-IDs that a relay gave messages in place of ours (docs/mail-out.md#relays-that-replace-the-message-id): answers and notices
-- name theirs. Written with the outcome that tells it.

create table replaced_message_ids (
  organization_id uuid not null, -- without a reference: an outcome must not lock the organization
  given text not null, -- the relay's, in lower case
  own text not null,
  queued_at timestamptz(3) not null, -- of the message
  primary key (organization_id, given)
);
create index replaced_message_ids_age on replaced_message_ids using brin (queued_at);

create function forget_replaced_message_ids() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  delete from replaced_message_ids where organization_id = old.id;
  return null;
end $$;
create trigger forget_replaced_message_ids after delete on organizations
  for each row execute function forget_replaced_message_ids();
