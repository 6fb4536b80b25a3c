import type { Db } from '#/base/db/schema.ts'
import type { SealingKey } from '#/base/secrets/seal.ts'
import { readHeaders } from '#/formats/mime/header/headers.ts'
import { threadIds } from '#/formats/mime/header/references.ts'
import { plainMessageId } from '#/formats/mime/pgp-mime.ts'
import { type QueuedMessage, queuedOctets } from '#/out/queue/message.ts'
import type { Outcome } from '#/out/relay/relay.ts'
import type { OutcomeEvents } from '#/out/sent/outcomes.ts'

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
