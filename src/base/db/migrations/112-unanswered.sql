-- Recipients whose last attempt no server answered, by their route: once it works again they are due at once (src/out/queue/unanswered.ts).
-- What was never tried, as all mail is at first, is not in it.
create index outbound_recipients_unanswered on outbound_recipients (route, id)
  where state = 'waiting' and attempts > 0 and reply is null;
