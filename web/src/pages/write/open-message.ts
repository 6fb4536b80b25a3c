import { externalStore } from '../../parts/state/external-store.ts'
import { deleteWithDraft, saveAsDraft } from './saving/closed-message.ts'
import { forgetText, keep, keepFile } from './saving/device.ts'
import { hold } from './saving/hold.ts'
import { draftOf, whenNoted } from './saving/save.ts'
import { Fault } from './sending/fault.ts'
import { isEmpty, limits, type Recipients, type SavedDraft, undoable, type Writing } from './writing.ts'

/** The open message. */
export interface OpenMessage {
  readonly writing: Writing
  /** Why it was not sent, or cannot be. */
  readonly fault: Error | undefined
  /** Whether it is minimized to its title. */
  readonly isSmall: boolean
  /** Whether this device has stored it. */
  readonly kept: boolean
}

let openMessage: OpenMessage | undefined
let member = ''
const { changed, useValue } = externalStore()

function set(next: OpenMessage | undefined): void {
  openMessage = next
  changed()
}

export const useOpenMessage = (): OpenMessage | undefined => useValue(() => openMessage)

/** Opens a message. */
export function openInComposer(by: string, writing: Writing, fault?: Error): void {
  close()
  member = by
  void hold(writing.key)
  set({ writing, fault, isSmall: false, kept: true })
  void store()
}

/** The open message, with the last typed text. */
export const current = () => openMessage?.writing

/** Changes the open message. Its errors stay until the next attempt. */
export function change(part: Partial<Writing>): void {
  if (!openMessage) return
  set({ ...openMessage, writing: { ...openMessage.writing, ...part, isSaved: false } })
  void store()
}

/** Stores on this device what is typed in a field of recipients, which drafts of the service do not have. */
export function noteTyped(name: Recipients, text: string): void {
  if (!openMessage || (openMessage.writing.unfinished?.[name] ?? '') === text) return
  set({
    ...openMessage,
    writing: { ...openMessage.writing, unfinished: { ...openMessage.writing.unfinished, [name]: text } },
  })
  void store()
}

/** Another message replaces it. */
export function replace(writing: Writing): void {
  if (!openMessage) return
  void hold(writing.key)
  set({ ...openMessage, writing })
  void store()
}

/** The service has that state of the message. */
export function noteSaved(then: Writing, draft: SavedDraft): void {
  if (openMessage?.writing.key !== then.key) return
  set({ ...openMessage, writing: { ...openMessage.writing, draft, isSaved: openMessage.writing === then } })
  void store()
}

export function show(part: Partial<Pick<OpenMessage, 'fault' | 'isSmall'>>): void {
  if (openMessage) set({ ...openMessage, ...part })
}

/** Removes the message from the composer, but not from this device. */
export function removeOpen(): Writing | undefined {
  const writing = openMessage?.writing
  set(undefined)
  return writing
}

/** Discards the message. Answers how to restore it for a while, if it had contents. */
export function discardOpen(): (() => Writing) | undefined {
  const writing = removeOpen()
  if (!writing) return undefined
  const lost = setTimeout(() => void deleteWithDraft(member, writing), isEmpty(writing) ? 0 : undoable + 1_000)
  if (isEmpty(writing)) return undefined
  // A reload ends the offer to undo, and does not open the message again.
  void keep(member, { ...writing, draft: draftOf(writing), fate: 'discarded' }).catch(() => {})
  return () => {
    clearTimeout(lost)
    return writing
  }
}

/** Removes the message from the composer. It is among the drafts, unless it is empty. */
export function close(): void {
  const writing = removeOpen()
  if (writing) void (isEmpty(writing) ? deleteWithDraft(member, writing) : saveAsDraft(member, writing))
}

/** Adds files to the message. Answers those that are pictures of its text. */
export async function addFiles(
  files: readonly globalThis.File[],
  asPictures: boolean,
): Promise<readonly { cid: string; name: string }[]> {
  if (!openMessage) return []
  const { key, files: before } = openMessage.writing
  const total = [...before, ...files].reduce((sum, { size }) => sum + size, 0)
  if (before.length + files.length > limits.files || total > limits.bytes) {
    show({ fault: new Fault('attachments', 'A message can have 10 attachments of 8 MB together') })
    return []
  }
  const added = files.map(({ name, type, size }) => {
    const isPicture = asPictures && /^image\/(png|jpeg|gif|webp|avif|bmp)$/.test(type)
    const id = crypto.randomUUID()
    return { id, name: name || 'file', type, size, ...(isPicture && { cid: `${id}@picture` }) }
  })
  await Promise.all(added.map(({ id }, index) => keepFile({ id, key, content: files[index] ?? new Blob() })))
  if (openMessage?.writing.key !== key) return []
  change({ files: [...openMessage.writing.files, ...added] })
  show({ fault: undefined })
  return added.flatMap(({ cid, name }) => (cid === undefined ? [] : [{ cid, name }]))
}

let isStoring = false
let isStale = false

/** Stores the open message; writes do not overlap. */
async function store(): Promise<void> {
  isStale = true
  if (isStoring) return
  isStoring = true
  while (isStale && openMessage) {
    isStale = false
    const { writing } = openMessage
    const kept = await (isEmpty(writing)
      ? forgetText(writing.key)
      : keep(member, { ...writing, draft: draftOf(writing) })
    ).then(
      () => true,
      () => false,
    )
    if (openMessage && openMessage.kept !== kept) set({ ...openMessage, kept })
  }
  isStoring = false
}

// After a reload only what the service does not have is sent.
whenNoted((key) => {
  if (openMessage?.writing.key === key) void store()
})
