import type { Db } from '#/db/schema.ts'
import type { MessageReader } from '#/mime/reader.ts'
import type { Stored, Summary } from '#/ports/mail-host.ts'
import { type OpenedMessage, presentItem, presentMessage } from './message.ts'
import { organizationKeywords } from './queries.ts'
import type { MessageItem } from './schemas.ts'

/** Messages as the organization sees them: without its members' own labels. */
export async function itemsFor(db: Db, organizationId: string, summaries: readonly Summary[]): Promise<MessageItem[]> {
  const keywords = new Set(summaries.flatMap((summary) => summary.keywords))
  const visible = await organizationKeywords(db, organizationId, [...keywords])
  return summaries.map((summary) => presentItem(summary, visible))
}

/** One whole message, without its member's own labels and filters. */
export async function messageFor(
  { db, reader }: { db: Db; reader: MessageReader },
  organizationId: string,
  stored: Stored,
  raw: Buffer,
): Promise<OpenedMessage> {
  return presentMessage(stored, raw, reader, await organizationKeywords(db, organizationId, stored.summary.keywords))
}
