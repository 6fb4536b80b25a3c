import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Db } from '#/base/db/schema.ts'
import { insertScheduled } from '#/out/scheduled/queries.ts'
import { mailKey } from '#test/world/installation.ts'

/** Who schedules it. */
export interface Scheduler {
  readonly organizationId: string
  /** Its mailbox. */
  readonly address: string
}

export interface Due {
  readonly id: string
  readonly recipients: readonly string[]
  readonly subject?: string
  readonly sendAt: Date
}

/** Inserts scheduled messages directly: the API refuses past times. */
export async function insertDue(db: Db, { organizationId, address }: Scheduler, all: readonly Due[]): Promise<void> {
  const { id: mailboxId } = await db
    .selectFrom('mailboxes')
    .select('id')
    .where('address', '=', address)
    .executeTakeFirstOrThrow()
  await db.transaction().execute(async (tx) => {
    for (const { id, recipients, subject = '', sendAt } of all) {
      const messageId = `<${id}@x>`
      const head = `From: ${address}\r\nSubject: ${subject}\r\nMessage-ID: ${messageId}\r\n`
      const raw = Buffer.from(`${head}Date: Sat, 21 Nov 2026 08:00:00 +0000\r\n\r\nHello\r\n`)
      const whose = { id, organizationId, mailboxId, from: address, subject, messageId, raw }
      const whom = {
        to: recipients,
        cc: [],
        bcc: [],
        recipients,
        attachmentCount: 0,
        answerMarks: null,
        by: 'api_key' as const,
        byId: crypto.randomUUID(),
      } as const
      assert.ok(await insertScheduled(tx, mailKey, { ...whose, ...whom, sendAt }, sendAt))
    }
  })
}

/** A message for one recipient each, whose local part is the message's id. */
export function oneEach(count: number, sendAt: Date): Due[] {
  return Array.from({ length: count }, () => {
    const id = randomUUID()
    return { id, recipients: [`${id}@there.example`], sendAt }
  })
}
