import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Db } from '#/db/schema.ts'
import type { MailboxRef } from '#/ports/mail-host.ts'

/** Waits until the mail server has all that a mailbox was given, however much that is; whoever only looks at the mailbox
 *  waits for some seconds of it. At once where mail is in the tables. */
export async function delivered(db: Db, mailbox: MailboxRef): Promise<void> {
  while (await isAwaiting(db, mailbox)) await wait(20)
}

/** Whether mail for the mailbox waits to be stored on the mail server. */
export async function isAwaiting(db: Db, { mailboxId }: MailboxRef): Promise<boolean> {
  const { rows } = await sql`select from mail_spool where mailbox_id = ${mailboxId} limit 1`.execute(db)
  return rows.length > 0
}
