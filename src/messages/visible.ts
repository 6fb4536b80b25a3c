import type { Db } from '#/db/schema.ts'
import type { Stored, Summary } from '#/ports/mail-host.ts'
import { presentItem, presentMessage } from './message.ts'
import { organizationKeywords } from './queries.ts'
import type { MessageItem, MessageOut } from './wire.ts'

/** Messages as the organization sees them: without its members' own labels. */
export async function itemsFor(db: Db, organizationId: string, summaries: readonly Summary[]): Promise<MessageItem[]> {
  const keywords = new Set(summaries.flatMap((summary) => summary.keywords))
  const visible = await organizationKeywords(db, organizationId, [...keywords])
  return summaries.map((summary) => presentItem(summary, visible))
}

/** One whole message, without its member's own labels and filters. */
export async function messageFor(db: Db, organizationId: string, stored: Stored): Promise<MessageOut> {
  return presentMessage(stored, await organizationKeywords(db, organizationId, stored.summary.keywords))
}
