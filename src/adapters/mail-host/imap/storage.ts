import type { Db } from '#/db/schema.ts'
import type { MailboxRef } from '#/ports/mail-host.ts'
import { type Access, findAccount } from './access.ts'
import type { Layout } from './layout.ts'
import { numberOf } from './response.ts'
import type { Session } from './session.ts'
import { spooledOf } from './spool-queries.ts'

/** Mailboxes asked at once: each takes a login where there is no connection yet. */
const mostAtOnce = 10

export async function storageUsed(db: Db, access: Access, organizationId: string): Promise<number> {
  const mailboxes = await db
    .selectFrom('mailboxes')
    .select(['id as mailboxId', 'organization_id as organizationId'])
    .where('organization_id', '=', organizationId)
    .execute()
  const used = await storageOf(db, access, mailboxes)
  return used.values().reduce((sum, bytes) => sum + bytes, 0)
}

/** What the server counts, and what waits for it. */
export async function storageOf(
  db: Db,
  access: Access,
  mailboxes: readonly MailboxRef[],
): Promise<Map<string, number>> {
  const waiting = mailboxes.values()
  const used = await spooledOf(
    db,
    mailboxes.map(({ mailboxId }) => mailboxId),
  )
  const next = async () => {
    for (const mailbox of waiting) {
      const account = await findAccount(db, mailbox)
      if (!account) continue
      const bytes = await access.inMailbox(account, sizeOf)
      used.set(mailbox.mailboxId, (used.get(mailbox.mailboxId) ?? 0) + bytes)
    }
  }
  await Promise.all(Array.from({ length: mostAtOnce }, next))
  return used
}

/** By STATUS=SIZE (RFC 8438), to the byte; else by QUOTA (RFC 9208), to the KiB. */
async function sizeOf(session: Session, layout: Layout): Promise<number> {
  const { connection } = session
  if (connection.can('STATUS=SIZE')) {
    const folders = await layout.statuses(session)
    return folders.reduce((sum, { size = 0 }) => sum + size, 0)
  }
  let kibibytes = 0
  if (connection.can('QUOTA')) {
    await connection.run(['GETQUOTAROOT INBOX'], ({ name, values }) => {
      const [, resources] = values
      const at = Array.isArray(resources) ? resources.indexOf('STORAGE') : -1
      if (name === 'QUOTA' && Array.isArray(resources) && at >= 0) kibibytes += numberOf(resources[at + 1])
      return name === 'QUOTA' || name === 'QUOTAROOT'
    })
  }
  return kibibytes * 1024
}
