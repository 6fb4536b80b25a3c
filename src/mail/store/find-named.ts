import { sql } from 'kysely'
import type { Db } from '#/base/db/schema.ts'
import { publicId, readPublicId } from '#/base/text/message-id.ts'
import type { MailboxRef } from './mailbox-ref.ts'
import type { Stored, Summary } from './read.ts'
import { type StoredRow, type SummaryRow, storedColumns, storedOf, summaryColumns, summaryOf } from './read.ts'
import type { Place } from './update.ts'

/** The mailbox of a message that is found by its id. */
export type MailboxOfMessage = MailboxRef & { readonly address: string; readonly kind: 'smart' | 'private' }

/** Where a message is that is found by its id. */
export interface NamedMessage extends Place {
  readonly id: string
  readonly mailbox: MailboxOfMessage
  readonly folderId: number
  readonly sizeBytes: number
}

export type NamedSummary = { readonly mailbox: MailboxOfMessage; readonly summary: Summary }

export type NamedStored = { readonly mailbox: MailboxOfMessage; readonly stored: Stored }

/** The folder of a message that is found by its id. */
interface FolderRow {
  readonly mailbox_id: string
  readonly address: string
  readonly kind: MailboxOfMessage['kind']
  readonly folder_id: number
  readonly folder: string
}

const folderColumns = sql`folder.mailbox_id, mailbox.address, mailbox.kind, folder.id as folder_id, folder.name as folder`

/** Messages of an organization, in whatever mailboxes and folders they are. What is no id finds nothing. */
function messages(organizationId: string, ids: readonly string[]) {
  const numbers = ids.flatMap((id) => readPublicId(id) ?? [])
  return sql`mail_messages message join mail_folders folder on folder.id = message.folder_id
    join mailboxes mailbox on mailbox.id = folder.mailbox_id and mailbox.organization_id = folder.organization_id
    join mail_contents content on content.id = message.content_id and content.organization_id = folder.organization_id
    where message.id = any(${numbers}::bigint[]) and folder.organization_id = ${organizationId}`
}

/** By folder and uid. */
export async function findNamed(db: Db, organizationId: string, ids: readonly string[]): Promise<NamedMessage[]> {
  const { rows } = await sql<FolderRow & { id: number; uid: number; size_bytes: number }>`
    select message.id, message.uid, message.size_bytes, ${folderColumns} from ${messages(organizationId, ids)}
    order by folder.id, message.uid`.execute(db)
  return rows.map((row) => ({
    id: publicId(row.id),
    mailbox: mailboxOf(organizationId, row),
    folderId: row.folder_id,
    folder: row.folder,
    uid: row.uid,
    sizeBytes: row.size_bytes,
  }))
}

/** The last received first. */
export async function summariesNamed(db: Db, organizationId: string, ids: readonly string[]): Promise<NamedSummary[]> {
  const { rows } = await sql<FolderRow & SummaryRow>`
    select ${summaryColumns}, ${folderColumns} from ${messages(organizationId, ids)}
    order by message.received_at desc, message.uid desc, message.id`.execute(db)
  return rows.map((row) => ({ mailbox: mailboxOf(organizationId, row), summary: summaryOf(row, row.folder) }))
}

export async function readNamed(db: Db, organizationId: string, id: string): Promise<NamedStored | undefined> {
  const { rows } = await sql<FolderRow & StoredRow>`
    select ${storedColumns}, ${folderColumns} from ${messages(organizationId, [id])}`.execute(db)
  const [row] = rows
  return row && { mailbox: mailboxOf(organizationId, row), stored: storedOf(db, organizationId, row, row.folder) }
}

function mailboxOf(organizationId: string, { mailbox_id, address, kind }: FolderRow): MailboxOfMessage {
  return { organizationId, mailboxId: mailbox_id, address, kind }
}
