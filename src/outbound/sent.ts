import { sql } from 'kysely'
import type { Tx } from '#/db/schema.ts'
import type { Postal } from './attempt.ts'
import type { Claimed } from './claims.ts'
import type { Held } from './held.ts'
import { type SentCopy, storeCopies } from './sent-copy.ts'
import { holdClaim } from './settle.ts'

/** A scheduled message that each of its recipients has, and its copy. */
export interface Sent {
  readonly message: Held
  readonly recipients: readonly Claimed[]
  readonly copy: SentCopy
}

/**
 * Ends attempts with which everybody has their message, in one transaction: it leaves the list and the queue, and its
 * copy is in Sent. Answers for each whether that is done; where it is not, nothing is: the claim is lost, or something
 * about one of them is in the way.
 */
export async function endSent({ db, mailHost, log }: Postal, sent: readonly Sent[]): Promise<readonly boolean[]> {
  try {
    return await db.transaction().execute(async (tx) => {
      const held = await holdClaim(
        tx,
        sent.flatMap(({ recipients }) => recipients),
      )
      const ids = new Set(held.map(({ id }) => id))
      const own = sent.filter(({ recipients }) => recipients.every(({ id }) => ids.has(id)))
      // The folders first, and then the lists, as whoever removes a mailbox does.
      await storeCopies(
        tx,
        { mailHost },
        own.map(({ copy }) => copy),
      )
      await forget(tx, own)
      return sent.map((one) => own.includes(one))
    })
  } catch (err) {
    log.warn({ err }, 'what was sent could not be written down together')
    return sent.map(() => false)
  }
}

/** Takes them off the list and out of the queue. */
async function forget(tx: Tx, sent: readonly Sent[]): Promise<void> {
  const messages = sent.map(({ message }) => message.id)
  const recipients = sent.flatMap(({ recipients }) => recipients.map(({ id }) => id))
  await sql`
    with listed as (delete from scheduled_messages where outbound_id = any (${messages}::uuid[])),
      settled as (delete from outbound_recipients where id = any (${recipients}::bigint[]))
    delete from outbound_messages message where id = any (${messages}::uuid[]) and not exists (
      select from outbound_recipients other where other.message_id = message.id and other.id <> all (${recipients}::bigint[])
    )`.execute(tx)
}
