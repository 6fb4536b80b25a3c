import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Db } from '#/db/schema.ts'
import type { MailboxRef } from '#/ports/mail-host.ts'
import { setStorage } from '#/usage/storage.ts'
import type { Access, Account } from '../access.ts'
import { type Data, numberOf } from '../client/response.ts'
import type { ImapSession } from '../client/session.ts'
import { longestWait } from '../client/session-pool.ts'
import { spooledFor } from '../spool/queries.ts'
import type { Layout } from './layout.ts'

/** Mailboxes that are measured concurrently. Each needs a login if it has no connection. */
const mostAtOnce = 10

/** Finds a mailbox's account and delivers its mail in the spool, no longer than `until`. */
export type FindAccount = (mailbox: MailboxRef, until: number) => Promise<Account | undefined>

export async function storageUsed(
  db: Db,
  access: Access,
  findAccount: FindAccount,
  organizationId: string,
): Promise<number> {
  const mailboxes = await db
    .selectFrom('mailboxes')
    .select(['id as mailboxId', 'organization_id as organizationId'])
    .where('organization_id', '=', organizationId)
    .execute()
  const used = await storageOf(db, access, findAccount, mailboxes)
  const bytes = used.values().reduce((sum, bytes) => sum + bytes, 0)
  await setStorage(db, [{ organization_id: organizationId, bytes }])
  return bytes
}

/** Organizations whose arriving mail would soon be refused, by what was added since the last measurement. */
async function nearlyFull(db: Db): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select usage.organization_id as id
    from organization_usage usage
    join organizations organization on organization.id = usage.organization_id
    join plans plan on plan.name = organization.plan
    where usage.storage_bytes >= 0.9 * plan.storage_bytes`.execute(db)
  return rows.map(({ id }) => id)
}

/** The sizes that the server reports, and mail in the spool. */
export async function storageOf(
  db: Db,
  access: Access,
  findAccount: FindAccount,
  mailboxes: readonly MailboxRef[],
): Promise<Map<string, number>> {
  const used = new Map<string, number>()
  const left = mailboxes.values()
  const until = performance.now() + longestWait
  const next = async () => {
    for (const mailbox of left) {
      const account = await findAccount(mailbox, until)
      if (!account) continue
      const waiting = account.waiting ? await spooledFor(db, mailbox) : 0
      used.set(mailbox.mailboxId, waiting + (await access.inMailbox(account, sizeOf)))
    }
  }
  await Promise.all(Array.from({ length: mostAtOnce }, next))
  return used
}

/** By STATUS=SIZE (RFC 8438), exact to the byte; else by QUOTA (RFC 9208), in KiB. */
async function sizeOf(session: ImapSession, layout: Layout): Promise<number> {
  const { connection } = session
  if (connection.can('STATUS=SIZE')) {
    const folders = await layout.statuses(session)
    return folders.reduce((sum, { size = 0 }) => sum + size, 0)
  }
  let kibibytes = 0
  if (connection.can('QUOTA')) {
    const onData = ({ name, values }: Data) => {
      const [, resources] = values
      const at = Array.isArray(resources) ? resources.indexOf('STORAGE') : -1
      if (name === 'QUOTA' && Array.isArray(resources) && at >= 0) kibibytes += numberOf(resources[at + 1])
      return name === 'QUOTA' || name === 'QUOTAROOT'
    }
    await connection.run(['GETQUOTAROOT INBOX'], { onData })
  }
  return kibibytes * 1024
}

/** Measures again, so that mail is accepted for those who have deleted mail with other programs. */
export async function measureNearlyFull(
  db: Db,
  log: Logger,
  measure: (organizationId: string) => Promise<unknown>,
): Promise<void> {
  try {
    for (const organizationId of await nearlyFull(db)) await measure(organizationId)
  } catch (err) {
    log.warn({ err }, 'the storage that organizations use could not be measured')
  }
}
