import { randomUUID } from 'node:crypto'
import type { Db } from '#/base/db/schema.ts'
import { enqueue, enqueueScheduled } from '#/out/queue/enqueue.ts'
import { mailKey } from '#test/world/installation.ts'

/** Messages for tests of the outbound queue. */
const raw = Buffer.from('Subject: Out\r\n\r\nHello\r\n')
const message = (organizationId: string) => ({
  ...{ id: randomUUID(), organizationId, mailboxId: null, sender: 'ada@here.example', raw },
})

/** Adds a message that is due, whose recipients are reached by one route, and answers its id. With a `source` it is still to
 *  be composed. */
export async function addSent(
  db: Db,
  organizationId: string,
  recipients: readonly string[],
  now: Date,
  { route = 'there', source }: { readonly route?: string; readonly source?: object } = {},
): Promise<string> {
  const routed = recipients.map((recipient) => ({ recipient, route }))
  const one = { ...message(organizationId), kind: 'sent', recipients: routed, ...(source && { source }) } as const
  await db.transaction().execute((tx) => enqueue(tx, mailKey, one, now))
  return one.id
}

/** Adds a message that is scheduled for this moment, and answers its id. */
export async function addScheduled(
  db: Db,
  organizationId: string,
  recipients: readonly string[],
  now: Date,
): Promise<string> {
  const one = { ...message(organizationId), recipients }
  const listed = { to: recipients, cc: [], bcc: [], subject: 'Out' }
  const schedule = { sendAt: now, listed, attachmentCount: 0, by: 'api_key', byId: one.id, answerMarks: null } as const
  await db.transaction().execute((tx) => enqueueScheduled(tx, mailKey, one, schedule, now))
  return one.id
}
