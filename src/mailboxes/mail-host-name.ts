import { type RawBuilder, sql } from 'kysely'
import type { Config } from '#/config/config.ts'
import { SqlPart } from '#/db/query.ts'
import type { Db, Tx } from '#/db/schema.ts'
import { invalid, mailUnavailable } from '#/errors.ts'

/** The mail host of an installation: `database`, or an IMAP server's host and port. */
export type MailHostName = string

export const inDatabase: MailHostName = 'database'

/** The mail host of a configuration. */
export function mailHostNameOf({ secrets: { imap } }: Pick<Config, 'secrets'>): MailHostName {
  if (!imap) return inDatabase
  const host = imap.host.includes(':') ? `[${imap.host}]` : imap.host.toLowerCase()
  return `${host}:${imap.port}`
}

/** A fault, and what to do. */
export interface Difference {
  readonly found: string
  readonly fix: string
}

/**
 * Compares the configured mail host with that of the installation, and records it if none is recorded yet. Mail that a
 * process stored on another host would be accepted and never found.
 * @throws Error if they differ
 */
export async function assertSameMailHost(db: Db, here: MailHostName): Promise<void> {
  await assertNoDifference(db, here)
  await db.updateTable('installation').set({ mail_host: here }).where('mail_host', 'is', null).execute()
  // Another process, with another host, may have been first.
  await assertNoDifference(db, here)
}

async function assertNoDifference(db: Db, here: MailHostName): Promise<void> {
  const difference = await differenceFrom(db, here)
  if (difference) throw new Error(`${difference.found}: ${difference.fix}`)
}

/** Undefined if they agree, or the installation's is unknown. */
export async function differenceFrom(db: Db, here: MailHostName): Promise<Difference | undefined> {
  const kept = (await recordedMailHost(db)).host ?? (await hostByMail(db))
  if (kept === undefined || kept === here) return undefined
  if (kept === inDatabase)
    return {
      found: 'This installation keeps its mail in its database, and MAILROOM_IMAP_URL names an IMAP server',
      fix: 'unset it, or move all mail there by `mailroom mail move imap`',
    }
  const server = kept === someServer ? 'an IMAP server' : `the IMAP server ${kept}`
  if (here === inDatabase)
    return {
      found: `This installation keeps its mail on ${server}, and MAILROOM_IMAP_URL is not set`,
      fix: 'set it as for the other processes, or move all mail into the database by `mailroom mail move database`',
    }
  if (kept === someServer) return undefined
  return {
    found: `This installation keeps its mail on ${server}, and MAILROOM_IMAP_URL names ${here}`,
    fix:
      'give every process the same; if the server was renamed, or mail was restored on another one, run ' +
      '`mailroom mail adopt`',
  }
}

/** The recorded mail host, if there is one, and the host that mail is being moved from. */
export async function recordedMailHost(db: Db): Promise<{ host?: MailHostName; movingFrom?: MailHostName }> {
  const row = await db.selectFrom('installation').select(['mail_host', 'mail_moving_from']).executeTakeFirst()
  return {
    ...(row?.mail_host && { host: row.mail_host }),
    ...(row?.mail_moving_from && { movingFrom: row.mail_moving_from }),
  }
}

/** An IMAP server that is not recorded yet. */
const someServer: MailHostName = 'imap'

/**
 * The mail host of an installation that is older than the record. With an IMAP server, mailboxes have no folders here, and
 * the spool has been used. Undefined if there is no mail yet, or both were in use: then the first process decides.
 */
async function hostByMail(db: Db): Promise<MailHostName | undefined> {
  const { rows } = await sql<{ here: boolean; there: boolean }>`
    select exists (select from mail_messages) as here,
      (select is_called or last_value > 1 from mail_spool_id_seq) or exists (
        select from mailboxes mailbox
        where not exists (select from mail_folders folder where folder.mailbox_id = mailbox.id)
      ) as there`.execute(db)
  const { here = false, there = false } = rows[0] ?? {}
  if (here === there) return undefined
  return here ? inDatabase : someServer
}

/**
 * Records the configured mail host: another name of the same server, or another server on which mail was restored. Answers
 * the one recorded before.
 * @throws Refusal if mail would stay on the old host
 */
export async function adoptMailHost(db: Db, here: MailHostName): Promise<MailHostName | undefined> {
  const { host } = await recordedMailHost(db)
  await assertNotMoving(db)
  const { rows } = await sql<{ here: boolean }>`select exists (select from mail_messages) as here`.execute(db)
  if (here !== inDatabase && rows[0]?.here)
    throw invalid('mail host', 'There is mail in the database', '`mailroom mail move imap` moves it to the IMAP server')
  await db.updateTable('installation').set({ mail_host: here }).execute()
  return host
}

/** @throws Refusal until `mail move` has finished */
export async function assertNotMoving(db: Db): Promise<void> {
  const { movingFrom } = await recordedMailHost(db)
  if (movingFrom === undefined) return
  throw invalid('mail host', 'All mail is being moved', 'Wait until `mailroom mail move` has finished')
}

/** Records the new host. Some mail is still on the old one. */
export async function noteMove(tx: Tx, source: MailHostName, target: MailHostName): Promise<void> {
  await tx.updateTable('installation').set({ mail_host: target, mail_moving_from: source }).execute()
}

/** Records that no mail is left on the old host. */
export async function noteMoved(db: Db): Promise<void> {
  await db.updateTable('installation').set({ mail_moving_from: null }).execute()
}

/** A condition for statements that store or change mail: the installation's mail host is still that of this process. A process
 *  that runs while mail is moved would otherwise use the old host. */
export const whileInDatabase = new SqlPart(`not exists (select from installation where mail_host <> '${inDatabase}')`)
export const keptInDatabase: RawBuilder<boolean> = sql.raw(whileInDatabase.text)
export const keptOnServer: RawBuilder<boolean> = sql`not exists (select from installation where mail_host = ${sql.lit(inDatabase)})`

/** Called if such a statement had no effect.
 *  @throws Refusal `mail_unavailable` if the mail host is another one now */
export async function assertStillHere(db: Db, kept: RawBuilder<boolean>): Promise<void> {
  const { rows } = await sql<{ kept: boolean }>`select ${kept} as kept`.execute(db)
  if (!rows[0]?.kept) throw movedAway()
}

export function movedAway(): Error {
  return mailUnavailable(new Error('The mail of this installation has moved: restart this process with its settings'))
}
