-- A request whose work is more than one transaction claims its Idempotency-Key first (docs/reference/http.md#idempotency-key). Until it is
-- answered, `answer` has what it is and how far it has come.
alter table idempotency_keys
  add column claim uuid, -- of the request that runs, or that was answered; a lost claim changes nothing
  add column claimed_until timestamptz; -- null once it is answered
