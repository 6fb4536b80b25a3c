-- Attempts that ended with their worker. It may have been the message that ended it, or another that it had in hand: so
-- these are counted apart from those that came to nothing, and such messages go one after the other.

alter table outbound_recipients
  add column cut_short integer not null default 0, -- of the attempts
  add column suspect boolean not null default false, -- the last one was
  add column in_doubt boolean not null default false; -- one was after its dot: perhaps this recipient has the message
create index outbound_recipients_suspect on outbound_recipients (due_at, id) where state = 'waiting' and suspect;

alter table scheduled_messages
  add column cut_short integer not null default 0, -- of the attempts
  add column in_hand boolean not null default false; -- an attempt is begun and not yet in the outbound queue
