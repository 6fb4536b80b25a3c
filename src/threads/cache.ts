import { type IdHashKey, idHash } from '#/mime/id-hash.ts'
import type { MailboxRef, MailHost } from '#/ports/mail-host.ts'
import { FolderIndex, type Held } from './folder-index.ts'

export interface ThreadCacheOptions {
  readonly mailHost: Pick<MailHost, 'changes'>
  readonly key: IdHashKey
  /** Memory that indexes at rest may take, all together. */
  readonly maxBytes: number
}

/** The indexes of the folders that were asked for lately. Those not asked for the longest go first, whole. */
export class ThreadCache {
  readonly key: IdHashKey
  readonly #mailHost: Pick<MailHost, 'changes'>
  readonly #maxBytes: number
  /** In the order in which they were last asked for. */
  readonly #folders = new Map<string, { index: FolderIndex; bytes: number }>()
  #bytes = 0
  /** How often a folder was asked for whose index was there, or was not. */
  readonly asked = { hit: 0, miss: 0 }

  constructor({ mailHost, key, maxBytes }: ThreadCacheOptions) {
    this.#mailHost = mailHost
    this.key = key
    this.#maxBytes = maxBytes
  }

  /** Memory taken by the indexes at rest. */
  get bytes(): number {
    return this.#bytes
  }

  /** A folder's index, up to date with all that was in the folder when this was called. Whoever gets it reads it at
   *  once, since it goes on changing. Throws what the mail host throws, `invalid_request` for an unknown folder. */
  async upToDate(mailbox: MailboxRef, folder: string): Promise<Held> {
    const name = JSON.stringify([mailbox.organizationId, mailbox.mailboxId, folder])
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

  #newIndex(mailbox: MailboxRef, folder: string): FolderIndex {
    return new FolderIndex({
      changes: (since) => this.#mailHost.changes(mailbox, folder, since),
      hashOfNameless: (uidValidity, uid) => idHash(this.key, `${uidValidity} ${uid}`),
    })
  }

  /** Counts an entry anew, drops it where nothing came of it, and makes room. */
  #settle(name: string, entry: { index: FolderIndex; bytes: number }): void {
    if (this.#folders.get(name) !== entry) return
    this.#bytes += entry.index.bytes - entry.bytes
    entry.bytes = entry.index.bytes
    if (entry.bytes === 0) this.#folders.delete(name)
    for (const [oldest, { bytes }] of this.#folders) {
      if (this.#bytes <= this.#maxBytes) return
      if (bytes === 0) continue // still being built, for requests that wait
      this.#folders.delete(oldest)
      this.#bytes -= bytes
    }
  }
}
