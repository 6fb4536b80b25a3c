import { ApiError } from '../../../api/call.ts'
import {
  addDraftAttachment,
  type CreateDraftBody,
  createDraft,
  type Draft,
  deleteDraft,
  getDraft,
  removeDraftAttachment,
  updateDraft,
} from '../../../api/generated.ts'
import { follow } from '../attachments/uploads.ts'
import type { File, SavedDraft, Writing } from '../writing.ts'
import { attached, fieldsOf, filesOf, headersOf } from './outgoing.ts'

/** The service's state of each message, by key. It is newer than the one in the message. */
const known = new Map<string, SavedDraft | undefined>()
const running = new Map<string, Promise<unknown>>()
/** Requests without a response. */
const creating = new Map<string, { readonly body: CreateDraftBody; readonly key: string }>()
const unanswered = new Map<string, Unanswered>()
let notify: (key: string) => void = () => {}

/** A request that the service may have carried out. */
interface Unanswered {
  readonly texts: readonly Pick<ReturnType<typeof fieldsOf>, 'subject' | 'text'>[]
  readonly file?: File | undefined
}

/** The draft was changed elsewhere meanwhile. */
export class DraftConflict extends Error {
  constructor() {
    super('This draft was changed elsewhere meanwhile')
  }
}

/** Saves a message as a draft of the service; saves do not overlap. @throws ApiError, DraftConflict */
export function save(writing: Writing): Promise<SavedDraft> {
  const before = running.get(writing.key) ?? Promise.resolve()
  const next = before.catch(() => {}).then(() => saveNow(writing))
  running.set(writing.key, next)
  return next
}

/** Whether the service has part of a message, or may have it soon. */
export const isAtService = (writing: Writing) => draftOf(writing) !== undefined || running.has(writing.key)

/** Deletes the draft of a message, also one that is being created. @throws ApiError */
export async function unsave(writing: Writing): Promise<void> {
  await running.get(writing.key)?.catch(() => {})
  // A request without a response may have been carried out: repeating it answers the result.
  if (creating.has(writing.key)) note(writing, (await create(writing)).draft, [])
  const draft = draftOf(writing)
  if (draft) await deleteDraft(draft.id)
}

/** Called once its draft is sent, deleted, or left to another writer. */
export function noLongerSaved(key: string): void {
  known.set(key, undefined)
}

/** Calls it with the key of each message of which the service has a new state. */
export function whenNoted(listener: (key: string) => void): void {
  notify = listener
}

export const draftOf = ({ key, draft }: Writing) => (known.has(key) ? known.get(key) : draft)

async function saveNow(writing: Writing): Promise<SavedDraft> {
  const before = draftOf(writing)
  const edited = before && (await edit(writing, before))
  if (edited) return saveFiles(writing, edited)
  const { draft: created, isLatest } = await create(writing)
  const saved = note(writing, created, [])
  return saveFiles(writing, (isLatest ? undefined : await edit(writing, saved)) ?? created)
}

/** A request without a response is repeated unchanged. */
async function create(writing: Writing): Promise<{ draft: Draft; isLatest: boolean }> {
  const lost = creating.get(writing.key)
  const attempt = lost ?? {
    body: { mailbox: writing.from, ...fieldsOf(writing), headers: headersOf(writing) },
    key: crypto.randomUUID(),
  }
  creating.set(writing.key, attempt)
  try {
    const draft = await createDraft(attempt.body, { headers: { 'Idempotency-Key': attempt.key } })
    creating.delete(writing.key)
    return { draft, isLatest: lost === undefined }
  } catch (error) {
    if (error instanceof ApiError && error.status >= 400 && error.status < 500) creating.delete(writing.key)
    throw error
  }
}

/** Undefined if the draft is gone: another mail program has edited it, or it was deleted. */
async function edit(writing: Writing, { id, version, files }: SavedDraft): Promise<Draft | undefined> {
  const { html = null, ...fields } = fieldsOf(writing)
  const lost = unanswered.get(writing.key)
  unanswered.set(writing.key, {
    texts: [...(lost?.texts ?? []).filter((text) => !saysSame(text, fields)), fields],
    file: lost?.file,
  })
  try {
    const edited = await updateDraft(id, { ...fields, html, version })
    unanswered.delete(writing.key)
    note(writing, edited, files)
    return edited
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (error.status > 0) unanswered.delete(writing.key)
    if (error.status === 404) return undefined
    if (error.field !== 'version') throw error
    // A request without a response may have been carried out: then the other version is our own.
    const there = lost && (await getDraft(id))
    if (!there || !lost.texts.some((text) => saysSame(text, there))) throw new DraftConflict()
    return edit(writing, note(writing, there, withLost(files, lost.file, there)))
  }
}

const saysSame = (
  one: { subject: string; text: string | null },
  other: { subject: string; text: string | null },
): boolean => one.subject === other.subject && one.text?.trim() === other.text?.trim()

/** The files of a draft, one of which may be unconfirmed. */
function withLost(files: readonly File[], lost: File | undefined, { attachments }: Draft): readonly File[] {
  if (!lost || files.some(({ id }) => id === lost.id)) return files
  const like = (file: File) => attachments.filter((one) => isSame(one, file)).length
  const known = files.filter(({ name, size, cid }) => name === lost.name && size === lost.size && cid === lost.cid)
  return like(lost) > known.length ? [...files, lost] : files
}

/** Removes attachments that are no longer wanted, and adds new ones. */
async function saveFiles(writing: Writing, edited: Draft): Promise<SavedDraft> {
  let draft = edited
  let saved = draftOf(writing)?.files ?? []
  const wanted = filesOf(writing)
  for (const file of saved) {
    if (wanted.some(({ id }) => id === file.id)) continue
    const index = draft.attachments.find((one) => isSame(one, file))?.index
    if (index !== undefined) draft = await removeDraftAttachment(draft.id, index, { version: draft.version })
    saved = saved.filter((one) => one !== file)
    note(writing, draft, saved)
  }
  for (const file of wanted) {
    if (saved.some(({ id }) => id === file.id)) continue
    const { id, version } = draft
    const body = { ...(await attached(file)), version }
    unanswered.set(writing.key, { texts: [fieldsOf(writing)], file })
    const answer = await follow(file.id, (following) => addDraftAttachment(id, body, following))
    // The service may have it nevertheless. That shows when the next state is saved.
    if (!answer) break
    unanswered.delete(writing.key)
    draft = answer
    saved = [...saved, file]
    note(writing, draft, saved)
  }
  return note(writing, draft, saved)
}

function isSame({ content_id, filename, size_bytes }: Draft['attachments'][number], file: File): boolean {
  return file.cid === undefined ? filename === file.name && size_bytes === file.size : content_id === file.cid
}

function note({ key }: Writing, draft: Omit<SavedDraft, 'files'>, files: readonly File[]): SavedDraft {
  const { id, message, version } = draft
  const saved = { id, message, version, files }
  known.set(key, saved)
  notify(key)
  return saved
}
