import { isDeepStrictEqual } from 'node:util'
import QuickLRU from 'quick-lru'
import { notFound, Refusal } from '#/base/errors.ts'
import { SingleFlight } from '#/base/event-loop/single-flight.ts'
import type { FolderState } from '#/mail/store/folders.ts'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'
import type { ThreadCache } from './cache.ts'
import type { Held } from './folder-index.ts'
import type { IndexedFolder } from './mailbox/connected.ts'
import { MailboxIndex } from './mailbox/mailbox-index.ts'
import type { Numbers } from './mailbox/marks.ts'
import type { ThreadIndex } from './thread-index.ts'

/** Folders whose messages belong to no conversation: unsent or unwanted mail. */
export const leftOut: ReadonlySet<string> = new Set(['drafts', 'junk', 'trash'])

/** How often to read again if folders change meanwhile. */
const attempts = 3

/** Mailboxes whose folders' states are remembered. */
const mostRemembered = 10_000

type ReadStates = (mailbox: MailboxRef) => Promise<{ readonly name: string; readonly state: FolderState }[]>

interface Dependencies {
  readonly folderStates: ReadStates
  readonly threads: ThreadCache
}

/** The indexes of mailboxes, over the cached ones of their folders. */
export class MailboxIndexes {
  readonly #parts: Dependencies
  readonly #mailboxes = new QuickLRU<string, Remembered>({ maxSize: mostRemembered })

  readonly folderStates: ReadStates

  constructor(parts: Dependencies) {
    this.#parts = parts
    this.folderStates = parts.folderStates
  }

  /** With all changes before this call. Read it at once, since it keeps changing. Throws `not_found` for an unknown mailbox. */
  upToDate(mailbox: MailboxRef): Promise<MailboxIndex> {
    const name = nameOf(mailbox)
    let one = this.#mailboxes.get(name)
    if (!one) {
      const folders = new Folders(this.#parts, mailbox)
      one = { folders, reading: new SingleFlight(() => folders.upToDate()) }
      this.#mailboxes.set(name, one)
    }
    return one.reading.run()
  }

  /** Whether only later changes would be read, as far as is known. */
  isHeld(mailbox: MailboxRef): boolean {
    return this.#mailboxes.get(nameOf(mailbox))?.folders.areHeld ?? false
  }
}

interface Remembered {
  readonly folders: Folders
  readonly reading: SingleFlight<MailboxIndex>
}

function nameOf({ organizationId, mailboxId }: MailboxRef): string {
  return `${organizationId} ${mailboxId}`
}

/** The known states of a mailbox's folders. */
class Folders {
  readonly #parts: Dependencies
  readonly #mailbox: MailboxRef
  /** By name: the state at the last update. Only the cache keeps indexes in memory. */
  readonly #known = new Map<string, { state: FolderState; index: WeakRef<ThreadIndex> }>()
  readonly #numbers: Numbers = { last: 0 }

  constructor(parts: Dependencies, mailbox: MailboxRef) {
    this.#parts = parts
    this.#mailbox = mailbox
  }

  get areHeld(): boolean {
    const names = [...this.#known.keys()]
    return names.length > 0 && names.every((name) => this.#parts.threads.has(this.#mailbox, name))
  }

  async upToDate(): Promise<MailboxIndex> {
    for (let attempt = 1; ; attempt++) {
      const last = attempt === attempts
      const step = await this.#step().catch((error: unknown) => {
        // The folder was deleted since it was listed.
        if (last || !(error instanceof Refusal && error.code === 'invalid_request')) throw error
        return undefined
      })
      if (!step) continue
      const index = new MailboxIndex(step.folders, this.#numbers)
      const tookTurns = await index.refresh()
      if (last || !(step.changed || tookTurns)) return index
    }
  }

  /** Reads the folders that have changed. */
  async #step(): Promise<{ folders: IndexedFolder[]; changed: boolean }> {
    const { folderStates, threads } = this.#parts
    const states = await folderStates(this.#mailbox)
    if (states.length === 0) throw notFound('mailbox')
    const listed = states.filter(({ name }) => !leftOut.has(name))
    const folders: IndexedFolder[] = []
    let changed = false
    for (const { name, state } of listed) {
      const held = this.#unchanged(name, state)
      changed ||= !held
      const { index, state: now } = held ?? (await threads.upToDate(this.#mailbox, name))
      folders.push({ name, state: now, index })
      if (!held) this.#learn(name, state, index)
    }
    if (this.#forgetOthers(new Set(listed.map(({ name }) => name)))) markAnew(folders)
    return { folders, changed }
  }

  #unchanged(name: string, state: FolderState): Held | undefined {
    const known = this.#known.get(name)
    if (!known || !isDeepStrictEqual(known.state, state)) return undefined
    const held = this.#parts.threads.held(this.#mailbox, name)
    return held && known.index.deref() === held.index ? held : undefined
  }

  /** A new empty folder changes no conversation. With a new index, all conversations are examined again. */
  #learn(name: string, state: FolderState, index: ThreadIndex): void {
    const before = this.#known.get(name)
    this.#known.set(name, { state, index: new WeakRef(index) })
    if (before?.index.deref() !== index) index.touched = before || index.rows.count > 0 ? undefined : []
  }

  /** Whether one of them had messages, which may have connected others. */
  #forgetOthers(listed: ReadonlySet<string>): boolean {
    const gone = [...this.#known].filter(([name]) => !listed.has(name))
    for (const [name] of gone) this.#known.delete(name)
    return gone.some(([, { index }]) => index.deref()?.rows.count !== 0)
  }
}

function markAnew(folders: readonly IndexedFolder[]): void {
  for (const { index } of folders) index.touched = undefined
}
