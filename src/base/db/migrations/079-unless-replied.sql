-- Scheduled messages that are not sent once somebody answers (docs/reference/scheduled.md#unless-replied).
alter table outbound_messages
  add column answer_marks text[], -- digests of the Message-IDs that an answer names; null: it is sent in any case
  add column answered_at timestamptz(3); -- of a failed one: it was cancelled by an answer
create index outbound_messages_answerable on outbound_messages (organization_id)
  where state = 'scheduled' and answer_marks is not null;
