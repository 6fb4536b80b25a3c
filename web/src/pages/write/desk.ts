import { useSyncExternalStore } from 'react'
import { putAside, throwAway } from './saving/aside.ts'
import { forgetText, keep, keepFile } from './saving/device.ts'
import { hold } from './saving/hold.ts'
import { draftOf, whenNoted } from './saving/save.ts'
import { Fault } from './sending/fault.ts'
import { isEmpty, limits, type Recipients, type SavedDraft, undoable, type Writing } from './writing.ts'

/** The open message. */
export interface Desk {
  readonly writing: Writing
  /** Why it was not sent, or cannot be. */
  readonly fault: Error | undefined
  /** Whether it is minimized to its title. */
  readonly isSmall: boolean
  /** Whether this device has stored it. */
  readonly kept: boolean
}

let desk: Desk | undefined
let member = ''
const listeners = new Set<() => void>()

function set(next: Desk | undefined): void {
  desk = next
  for (const listener of listeners) listener()
}

export function useDesk(): Desk | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => desk,
  )
}

/** Opens a message. */
export function put(by: string, writing: Writing, fault?: Error): void {
  close()
  member = by
  void hold(writing.key)
  set({ writing, fault, isSmall: false, kept: true })
  void store()
}

/** The open message, with the last typed text. */
export const current = () => desk?.writing

/** Changes the open message. Its errors stay until the next attempt. */
export function change(part: Partial<Writing>): void {
  if (!desk) return
  set({ ...desk, writing: { ...desk.writing, ...part, isSaved: false } })
  void store()
}

/** Stores on this device what is typed in a field of recipients, which drafts of the service do not have. */
export function noteTyped(name: Recipients, text: string): void {
  if (!desk || (desk.writing.unfinished?.[name] ?? '') === text) return
  set({ ...desk, writing: { ...desk.writing, unfinished: { ...desk.writing.unfinished, [name]: text } } })
  void store()
}

/** Another message replaces it. */
export function replace(writing: Writing): void {
  if (!desk) return
  void hold(writing.key)
  set({ ...desk, writing })
  void store()
}

/** The service has that state of the message. */
export function noteSaved(then: Writing, draft: SavedDraft): void {
  if (desk?.writing.key !== then.key) return
  set({ ...desk, writing: { ...desk.writing, draft, isSaved: desk.writing === then } })
  void store()
}

export function show(part: Partial<Pick<Desk, 'fault' | 'isSmall'>>): void {
  if (desk) set({ ...desk, ...part })
}

/** Removes the message from the composer, but not from this device. */
export function take(): Writing | undefined {
  const writing = desk?.writing
  set(undefined)
  return writing
}

/** Discards the message. Answers how to restore it for a while, if it had contents. */
export function lose(): (() => Writing) | undefined {
  const writing = take()
  if (!writing) return undefined
  const lost = setTimeout(() => void throwAway(member, writing), isEmpty(writing) ? 0 : undoable + 1_000)
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
  const writing = take()
  if (writing) void (isEmpty(writing) ? throwAway(member, writing) : putAside(member, writing))
}

/** Adds files to the message. Answers those that are pictures of its text. */
export async function addFiles(
  files: readonly globalThis.File[],
  asPictures: boolean,
): Promise<readonly { cid: string; name: string }[]> {
  if (!desk) return []
  const { key, files: before } = desk.writing
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
  if (desk?.writing.key !== key) return []
  change({ files: [...desk.writing.files, ...added] })
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
  while (isStale && desk) {
    isStale = false
    const { writing } = desk
    const kept = await (isEmpty(writing)
      ? forgetText(writing.key)
      : keep(member, { ...writing, draft: draftOf(writing) })
    ).then(
      () => true,
      () => false,
    )
    if (desk && desk.kept !== kept) set({ ...desk, kept })
  }
  isStoring = false
}

// After a reload only what the service does not have is sent.
whenNoted((key) => {
  if (desk?.writing.key === key) void store()
})
