-- Of whom nobody knows whether they have a message, since when: the whole of it was sent, and no answer came.

alter table outbound_recipients add column doubted_at timestamptz(3);
update outbound_recipients set doubted_at = now() where in_doubt;
alter table outbound_recipients drop column in_doubt;
