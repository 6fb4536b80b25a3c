import type { Draft } from '#/ports/mail-host.ts'
import type { ImapSession } from '../client/session.ts'
import type { SelectedFolder } from '../folders/selected-folder.ts'
import { marksText } from '../watch/own-changes.ts'
import { appendMessages, uidsNamed } from './append.ts'
import { expunge, presentUids } from './change.ts'

const flags = { seen: true, flagged: false, draft: true, keywords: [], filteredBy: [] } as const

/** The result of saving a draft. */
export const marksOfDraft = marksText(flags)

/** Appends a draft to the selected folder, then removes those that it replaces. Undefined if the newest of them is deleted,
 *  or if another process has replaced it concurrently: then the draft that was appended first stays. If the process dies in
 *  between, both exist, and the newest is the draft. */
export async function saveDraft(
  session: ImapSession,
  folder: SelectedFolder,
  { message, savedAt: receivedAt, replaces }: Draft,
): Promise<number | undefined> {
  const messageId = message.messageId ?? ''
  const before = replaces.at(-1)
  if (before !== undefined && (await presentUids(session, folder, [before])).length === 0) return undefined
  const [appended] = await appendMessages(session, folder.path, [{ raw: message.raw, messageId, receivedAt, ...flags }])
  const named = await uidsNamed(session, messageId)
  const newer = named.filter((uid) => !replaces.includes(uid))
  const uid = appended ?? newer.at(-1)
  if (uid === undefined || before === undefined) return uid
  const lost = newer.some((other) => other !== uid && other > before && other < uid)
  await expunge(session, lost ? [uid] : [...replaces])
  return lost ? undefined : uid
}
