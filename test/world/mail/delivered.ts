import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Db } from '#/db/schema.ts'
import type { MailboxRef } from '#/ports/mail-host.ts'

/** Waits until the mail server has all mail of a mailbox, however much that is: a mere read of the mailbox
 *  waits for some seconds only. Returns at once if mail is in the tables. */
export async function delivered(db: Db, mailbox: MailboxRef): Promise<void> {
  while (await isAwaiting(db, mailbox)) await wait(20)
}

/** Whether mail for the mailbox waits to be stored on the mail server. */
export async function isAwaiting(db: Db, { mailboxId }: MailboxRef): Promise<boolean> {
  const { rows } = await sql`select from mail_spool where mailbox_id = ${mailboxId} limit 1`.execute(db)
  return rows.length > 0
}
