-- What came in during the last 7 days, so that a message whose sender did not hear our answer and sends it again is
-- stored once. Without a foreign key: a row of a mailbox that is gone harms nothing and goes when it is old.

create table arrivals (
  mailbox_id uuid not null,
  digest bytea not null, -- SHA-256 of the message as it came, before we put anything in front
  arrived_at timestamptz(0) not null default now(),
  primary key (mailbox_id, digest)
);
create index arrivals_age on arrivals (arrived_at);
