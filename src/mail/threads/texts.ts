import QuickLRU from 'quick-lru'
import type { Db } from '#/base/db/schema.ts'
import { canonicalAddress } from '#/formats/mime/address/address.ts'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'
import { readSummaries, type Summary } from '#/mail/store/read.ts'

/** The texts of a message that a list of conversations shows. */
export interface Texts {
  readonly subject: string
  readonly preview: string
  /** The root of its conversation, if it has the lowest uid there; null if it has and names no id. */
  readonly root: string | null
  /** The author's address in canonical form; empty if there is none. */
  readonly author: string
  /** Whether no answer is expected, by its header. */
  readonly automatic: boolean
}

/** Messages in the cache, some 600 bytes each, and the longest cached text. */
const most = 20_000
const longest = 1_000

/** Caches texts of messages, which never change. */
export class RememberedTexts {
  readonly #db: Db
  readonly #remembered = new QuickLRU<string, Texts>({ maxSize: most })

  constructor(db: Db) {
    this.#db = db
  }

  /** By uid, without messages that have left the folder and are not cached. */
  async of(
    mailbox: MailboxRef,
    folder: string,
    uidValidity: number,
    uids: Iterable<number>,
  ): Promise<Map<number, Texts>> {
    const found = new Map<number, Texts>()
    const missing: number[] = []
    const name = (uid: number) => `${mailbox.mailboxId}/${uidValidity}/${uid}/${folder}`
    for (const uid of uids) {
      const texts = this.#remembered.get(name(uid))
      if (texts) found.set(uid, texts)
      else missing.push(uid)
    }
    if (missing.length === 0) return found
    for (const summary of await readSummaries(this.#db, mailbox, folder, missing)) {
      const texts = textsOf(summary)
      found.set(summary.uid, texts)
      if (texts.subject.length + texts.preview.length + (texts.root?.length ?? 0) <= longest) {
        this.#remembered.set(name(summary.uid), texts)
      }
    }
    return found
  }
}

export function textsOf({ subject, preview, threadRoot, from, facts }: Summary): Texts {
  const address = from?.address ?? ''
  const author = canonicalAddress(address) ?? address.toLowerCase()
  return { subject, preview, root: threadRoot, author, automatic: facts.automatic }
}
