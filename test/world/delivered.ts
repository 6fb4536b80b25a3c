import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Db } from '#/db/schema.ts'
import type { MailboxRef } from '#/ports/mail-host.ts'

/** Waits until the mail server has all that a mailbox was given, however much that is; whoever only looks at the mailbox
 *  waits for some seconds of it. At once where mail is in the tables. */
export async function delivered(db: Db, { mailboxId }: MailboxRef): Promise<void> {
  while (await waits(db, mailboxId)) await wait(20)
}

async function waits(db: Db, mailboxId: string): Promise<boolean> {
  const { rows } = await sql`select from mail_spool where mailbox_id = ${mailboxId} limit 1`.execute(db)
  return rows.length > 0
}
