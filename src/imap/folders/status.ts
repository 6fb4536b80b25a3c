import { sql } from 'kysely'
import { short } from '#/base/db/short.ts'
import { LIMITS } from '#/smtp/connection/limits.ts'
import { Bad } from '../answers.ts'
import { mailboxId } from '../selected/mailbox-id.ts'
import type { Session } from '../session/session.ts'
import type { Arguments } from '../wire/arguments.ts'
import { untagged } from '../wire/format.ts'
import type { StoredFolder } from './stored.ts'
import { written } from './written.ts'

/** The items of STATUS (RFC 9051, section 6.3.11; RFC 7162, 7889, 8474, 9208 and 3501 for RECENT, which no message is). */
const items: Readonly<Record<string, (folder: StoredFolder, deleted: Deleted) => string | number>> = {
  MESSAGES: ({ total }) => total,
  RECENT: () => 0,
  UIDNEXT: ({ uidNext }) => uidNext,
  UIDVALIDITY: ({ id }) => id,
  UNSEEN: ({ unread }) => unread,
  DELETED: (_, { total }) => total,
  'DELETED-STORAGE': (_, { bytes }) => bytes,
  SIZE: ({ bytes }) => bytes,
  HIGHESTMODSEQ: ({ modseq }) => modseq,
  APPENDLIMIT: () => LIMITS.messageSize,
  MAILBOXID: ({ id }) => `(${mailboxId(id)})`,
}

/** The messages with `\Deleted`. */
interface Deleted {
  readonly total: number
  readonly bytes: number
}

/** Reads `(MESSAGES UNSEEN)`. */
export function readStatusItems(args: Arguments): string[] {
  const wanted = args.list(() => args.word())
  if (wanted.length === 0) throw new Bad('STATUS needs an item')
  for (const item of wanted) if (!Object.hasOwn(items, item)) throw new Bad('Unknown item of STATUS')
  return [...new Set(wanted)]
}

/** The STATUS response of a folder. */
export async function statusOf(session: Session, name: string, folder: StoredFolder, wanted: readonly string[]) {
  // RFC 7162, section 3.1: who asks for it keeps modification sequences.
  if (wanted.includes('HIGHESTMODSEQ')) session.enable('CONDSTORE')
  const isOfDeleted = wanted.some((item) => item.startsWith('DELETED'))
  const deleted = isOfDeleted ? await deletedIn(session, folder.id) : { total: 0, bytes: 0 }
  const values = wanted.map((item) => `${item} ${items[item]?.(folder, deleted)}`)
  return untagged(`STATUS ${written(session, name)} (${values.join(' ')})`)
}

async function deletedIn({ parts: { db }, user }: Session, folderId: number): Promise<Deleted> {
  const { rows } = await sql<Deleted>`
    select count(*)::integer as total, coalesce(sum(message.size_bytes::bigint), 0)::bigint as bytes
    from mail_folders folder join mail_messages message on message.folder_id = folder.id
    where folder.organization_id = ${user.mailbox.organizationId} and folder.id = ${folderId} and message.deleted`.execute(
    short(db),
  )
  const [row] = rows
  return row ?? { total: 0, bytes: 0 }
}
