import { type RawBuilder, sql } from 'kysely'
import type { Config } from '#/config/config.ts'
import { Part } from '#/db/query.ts'
import type { Db, Tx } from '#/db/schema.ts'
import { invalid, mailUnavailable } from '#/errors.ts'

/** Where an installation keeps its mail: `database`, or an IMAP server's host and port. */
export type MailHome = string

export const inDatabase: MailHome = 'database'

/** Where a process that is configured so looks for mail. */
export function mailHomeOf({ secrets: { imap } }: Pick<Config, 'secrets'>): MailHome {
  if (!imap) return inDatabase
  const host = imap.host.includes(':') ? `[${imap.host}]` : imap.host.toLowerCase()
  return `${host}:${imap.port}`
}

/** What is wrong, and what to do. */
export interface Difference {
  readonly found: string
  readonly fix: string
}

/**
 * Holds where this process looks for mail against where the installation keeps it, which it learns here where it is not
 * known yet. A process that looks elsewhere would answer 250 to mail that nobody finds.
 * @throws Error where they differ
 */
export async function assertSameMailHome(db: Db, here: MailHome): Promise<void> {
  await assertNoDifference(db, here)
  await db.updateTable('installation').set({ mail_host: here }).where('mail_host', 'is', null).execute()
  // Another process may have been first, and look elsewhere.
  await assertNoDifference(db, here)
}

async function assertNoDifference(db: Db, here: MailHome): Promise<void> {
  const difference = await differenceFrom(db, here)
  if (difference) throw new Error(`${difference.found}: ${difference.fix}`)
}

/** Undefined where they agree, or nothing tells yet. */
export async function differenceFrom(db: Db, here: MailHome): Promise<Difference | undefined> {
  const { home } = await mailHome(db)
  const kept = home ?? (await homeByMail(db))
  if (kept === undefined || kept === here) return undefined
  if (kept === inDatabase)
    return {
      found: 'This installation keeps its mail in its database, and MAILROOM_IMAP_URL names an IMAP server',
      fix: 'unset it, or carry all mail there by `mailroom mail move imap`',
    }
  const server = kept === someServer ? 'an IMAP server' : `the IMAP server ${kept}`
  if (here === inDatabase)
    return {
      found: `This installation keeps its mail on ${server}, and MAILROOM_IMAP_URL is not set`,
      fix: 'set it as its other processes have it; all mail is carried into the database by `mailroom mail move database`',
    }
  if (kept === someServer) return undefined
  return {
    found: `This installation keeps its mail on ${server}, and MAILROOM_IMAP_URL names ${here}`,
    fix:
      'give every process the same; where that server goes by another name now, or mail was restored on another one, ' +
      'run `mailroom mail adopt`',
  }
}

/** Where the installation keeps its mail, if that is known, and from where some is still being carried there. */
export async function mailHome(db: Db): Promise<{ home?: MailHome; movingFrom?: MailHome }> {
  const row = await db.selectFrom('installation').select(['mail_host', 'mail_moving_from']).executeTakeFirst()
  return {
    ...(row?.mail_host && { home: row.mail_host }),
    ...(row?.mail_moving_from && { movingFrom: row.mail_moving_from }),
  }
}

/** An IMAP server that nobody has noted yet. */
const someServer: MailHome = 'imap'

/**
 * Where an installation that was made before this was noted has its mail. With mail on an IMAP server mailboxes have no
 * folders here, and mail has gone through the spool. Undefined where there is no mail yet, or both were in use: then the
 * first process to start says.
 */
async function homeByMail(db: Db): Promise<MailHome | undefined> {
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
 * Takes where this process looks for mail for where the installation keeps it, whatever was noted: another name of the same
 * server, or another server on which mail was restored. Answers what was noted before.
 * @throws Refusal where that would leave mail behind
 */
export async function adoptMailHome(db: Db, here: MailHome): Promise<MailHome | undefined> {
  const { home } = await mailHome(db)
  await assertNotMoving(db)
  const { rows } = await sql<{ here: boolean }>`select exists (select from mail_messages) as here`.execute(db)
  if (here !== inDatabase && rows[0]?.here)
    throw invalid(
      'mail host',
      'There is mail in the database',
      '`mailroom mail move imap` carries it to the IMAP server',
    )
  await db.updateTable('installation').set({ mail_host: here }).execute()
  return home
}

/** @throws Refusal while mail is carried to another host, by a `mail move` that is not done yet */
export async function assertNotMoving(db: Db): Promise<void> {
  const { movingFrom } = await mailHome(db)
  if (movingFrom === undefined) return
  throw invalid('mail host', 'All mail is being moved', 'Wait until `mailroom mail move` has finished')
}

/** From here on mail is kept in the new place, and some is in the old one still. */
export async function noteMove(tx: Tx, source: MailHome, target: MailHome): Promise<void> {
  await tx.updateTable('installation').set({ mail_host: target, mail_moving_from: source }).execute()
}

/** Nothing is left in the old place. */
export async function noteMoved(db: Db): Promise<void> {
  await db.updateTable('installation').set({ mail_moving_from: null }).execute()
}

/** For what stores and changes mail, as a part of its statement: whether the installation still keeps its mail where this
 *  process does. A process that runs while mail moves would else go on where it was. */
export const whileInDatabase = new Part(`not exists (select from installation where mail_host <> '${inDatabase}')`)
export const keptInDatabase: RawBuilder<boolean> = sql.raw(whileInDatabase.text)
export const keptOnServer: RawBuilder<boolean> = sql`not exists (select from installation where mail_host = ${sql.lit(inDatabase)})`

/** For where such a statement did nothing.
 *  @throws Refusal `mail_unavailable` where that is why */
export async function assertStillHere(db: Db, kept: RawBuilder<boolean>): Promise<void> {
  const { rows } = await sql<{ kept: boolean }>`select ${kept} as kept`.execute(db)
  if (!rows[0]?.kept) throw movedAway()
}

export function movedAway(): Error {
  return mailUnavailable(new Error('The mail of this installation has moved: restart this process with its settings'))
}
