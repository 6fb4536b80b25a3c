import { type IdHashKey, idHash } from '#/formats/mime/id-hash.ts'
import type { FolderChanges } from '#/mail/store/changes.ts'
import type { FolderState } from '#/mail/store/folders.ts'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'
import { FolderIndex, type Held } from './folder-index.ts'
import { threadIds } from './public-ids.ts'

type ReadChanges = (mailbox: MailboxRef, folder: string, since: FolderState | undefined) => Promise<FolderChanges>

export interface ThreadCacheOptions {
  readonly changes: ReadChanges
  readonly key: IdHashKey
  /** Limit for all indexes together, in bytes. */
  readonly maxBytes: number
}

/** Caches the indexes of folders. Evicts the least recently used. */
export class ThreadCache {
  readonly key: IdHashKey
  readonly #changes: ReadChanges
  readonly #maxBytes: number
  /** Least recently used first. */
  readonly #folders = new Map<string, { index: FolderIndex; bytes: number }>()
  #bytes = 0
  /** Lookups that found an index, and that did not. */
  readonly asked = { hit: 0, miss: 0 }

  constructor({ changes, key, maxBytes }: ThreadCacheOptions) {
    this.#changes = changes
    this.key = key
    this.#maxBytes = maxBytes
  }

  /** Memory of all indexes. */
  get bytes(): number {
    return this.#bytes
  }

  /** A folder's index, with all changes before this call. Read it at once, since it keeps changing. Throws
   *  `invalid_request` for an unknown folder. */
  async upToDate(mailbox: MailboxRef, folder: string): Promise<Held> {
    const name = nameOf(mailbox, folder)
    const known = this.#folders.get(name)
    this.asked[known ? 'hit' : 'miss']++
    const entry = known ?? { index: this.#newIndex(mailbox, folder), bytes: 0 }
    this.#folders.delete(name)
    this.#folders.set(name, entry)
    try {
      return await entry.index.upToDate()
    } finally {
      this.#settle(name, entry)
    }
  }

  /** Whether only a folder's changes have to be read, also while another request reads them. */
  has(mailbox: MailboxRef, folder: string): boolean {
    return this.#folders.get(nameOf(mailbox, folder))?.index.isBuilt ?? false
  }

  /** A folder's index as it was read last; undefined if it is not cached, or is being updated. */
  held(mailbox: MailboxRef, folder: string): Held | undefined {
    const name = nameOf(mailbox, folder)
    const entry = this.#folders.get(name)
    if (!entry) return undefined
    this.#folders.delete(name)
    this.#folders.set(name, entry)
    return entry.index.held
  }

  /** The ids of the conversations that these messages belong to, by uid; without messages that have left the folder. */
  async idsOf(mailbox: MailboxRef, folder: string, uids: readonly number[]): Promise<Map<number, string>> {
    if (uids.length === 0) return new Map()
    const { index } = await this.upToDate(mailbox, folder)
    const name = threadIds(this.key, mailbox.mailboxId, folder)
    return new Map([...index.roots(uids)].map(([uid, root]) => [uid, name(root)]))
  }

  #newIndex(mailbox: MailboxRef, folder: string): FolderIndex {
    return new FolderIndex({
      changes: (since) => this.#changes(mailbox, folder, since),
      hash: (name) => idHash(this.key, name),
    })
  }

  /** Updates an entry's size, removes it if it stayed empty, and evicts others over the limit. */
  #settle(name: string, entry: { index: FolderIndex; bytes: number }): void {
    if (this.#folders.get(name) !== entry) return
    this.#bytes += entry.index.bytes - entry.bytes
    entry.bytes = entry.index.bytes
    if (entry.bytes === 0) this.#folders.delete(name)
    for (const [oldest, { bytes }] of this.#folders) {
      if (this.#bytes <= this.#maxBytes) return
      if (bytes === 0) continue // being built for waiting requests
      this.#folders.delete(oldest)
      this.#bytes -= bytes
    }
  }
}

function nameOf({ organizationId, mailboxId }: MailboxRef, folder: string): string {
  return JSON.stringify([organizationId, mailboxId, folder])
}
