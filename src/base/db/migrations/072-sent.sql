-- What became of mail that was sent (docs/reference/sent.md): a row for each recipient whom the queue has done with, written in
-- the transaction that ends it. Whoever still waits is in the queue alone.

create table sent_recipients (
  id bigint generated always as identity,
  organization_id uuid not null, -- without a reference: an outcome must not lock the organization
  message_id uuid not null, -- of outbound_messages, as sending answered it
  mailbox_id uuid, -- whose message it was
  sender text not null,
  address text, -- null where a Private mailbox sent
  queued_at timestamptz(3) not null,
  state text not null check (state in ('delivered', 'bounced', 'complained')),
  at timestamptz(3) not null default clock_timestamp(), -- since when it is in that state
  status text, -- enhanced code
  reply text,
  reason text,
  host text,
  primary key (organization_id, message_id, id)
);
create index sent_recipients_listed on sent_recipients (organization_id, queued_at, message_id);
create index sent_recipients_address on sent_recipients (organization_id, address, queued_at, message_id);
create index sent_recipients_failed on sent_recipients (organization_id, queued_at, message_id) where state <> 'delivered';
create index sent_recipients_age on sent_recipients using brin (queued_at);

create function forget_sent() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  delete from sent_recipients where organization_id = old.id;
  return null;
end $$;
create trigger forget_sent after delete on organizations for each row execute function forget_sent();
