import { useSyncExternalStore } from 'react'
import { forget, keep, keepFile } from './device.ts'
import { Fault } from './fault.ts'
import { hold, release } from './hold.ts'
import { isEmpty, limits, undoable, type Writing } from './writing.ts'

/** The message that is open. */
export interface Desk {
  readonly writing: Writing
  /** Why it was not sent, or cannot be. */
  readonly fault: Error | undefined
  /** Only its title is shown. */
  readonly isSmall: boolean
  /** Whether this device keeps what was typed last. */
  readonly kept: 'yes' | 'no' | 'failed'
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

export function open(by: string, writing: Writing, fault?: Error): void {
  member = by
  void hold(writing.key)
  set({ writing, fault, isSmall: false, kept: 'yes' })
  store()
}

/** The message that is open, with what was typed last. */
export const current = () => desk?.writing

export const isOpen = () => desk !== undefined && !isEmpty(desk.writing)

/** Changes the message that is open. What was wrong with it stays said until the next try. */
export function change(part: Partial<Writing>): void {
  if (!desk) return
  set({ ...desk, writing: { ...desk.writing, ...part } })
  store()
}

export function show(part: Partial<Pick<Desk, 'fault' | 'isSmall'>>): void {
  if (desk) set({ ...desk, ...part })
}

/** Takes the message away from the composer, not from this device. */
export function take(): Writing | undefined {
  const writing = desk?.writing
  set(undefined)
  return writing
}

/** Throws the message away. Answers what brings it back for a while, if there was something in it. */
export function lose(): (() => Writing) | undefined {
  const writing = take()
  if (!writing) return undefined
  const lost = setTimeout(() => void forgetLost(writing), isEmpty(writing) ? 0 : undoable + 1_000)
  if (isEmpty(writing)) return undefined
  return () => {
    clearTimeout(lost)
    return writing
  }
}

export async function forgetLost({ key }: Writing): Promise<void> {
  await storing
  await forget(key)
  release(key)
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
    show({ fault: new Fault('attachments', 'A message takes 10 attachments of 8 MB together') })
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

let storing: Promise<void> | undefined
let isStale = false

/** Stores what is open, one time after the other. */
function store(): void {
  isStale = true
  if (desk && desk.kept === 'yes') set({ ...desk, kept: 'no' })
  storing ??= (async () => {
    while (isStale && desk) {
      isStale = false
      const { writing } = desk
      const kept = await (isEmpty(writing) ? forget(writing.key) : keep(member, writing)).then(
        () => 'yes' as const,
        () => 'failed' as const,
      )
      if (desk?.writing === writing) set({ ...desk, kept })
    }
    storing = undefined
  })()
}
