import type { Db } from '#/db/schema.ts'
import { readHeaders } from '#/mime/header/headers.ts'
import { threadIds } from '#/mime/header/references.ts'
import { plainMessageId } from '#/mime/pgp-mime.ts'
import type { Outcome } from '#/ports/relay.ts'
import { type QueuedMessage, queuedOctets } from '#/queue/message.ts'
import type { SealingKey } from '#/secrets/seal.ts'
import type { OutcomeEvents } from '#/sent/outcomes.ts'

/** The Message-IDs that relays have given the message in this attempt, each beside ours, to be stored with its outcomes. Each
 *  transaction of a relay gives one. None of a concealed message, of which the database names nothing. */
export async function givenIds(
  { db, mailKey }: { readonly db: Db; readonly mailKey: SealingKey },
  message: QueuedMessage,
  outcomes: readonly Outcome[],
): Promise<OutcomeEvents[]> {
  const given = new Set(outcomes.flatMap(({ givenId }) => givenId ?? []))
  const own = given.size === 0 || message.concealed ? null : await ownIdOf(db, mailKey, message)
  if (own === null) return []
  const { organizationId, queuedAt } = message
  // A relay that kept ours may tell it too.
  given.delete(own.toLowerCase())
  return [{ events: [], replaced: Array.from(given, (one) => ({ organizationId, own, given: one, queuedAt })) }]
}

/** Null if it has none that fits into a header field of ours. */
async function ownIdOf(db: Db, mailKey: SealingKey, { id }: QueuedMessage): Promise<string | null> {
  for await (const first of queuedOctets(db, mailKey, id)) {
    return plainMessageId(threadIds(readHeaders(first).headers).messageId)
  }
  return null
}
