import QuickLRU from 'quick-lru'
import type { MailboxRef, MailHost } from '#/ports/mail-host.ts'

/** What a list of conversations shows of a single message. */
export interface Texts {
  readonly subject: string
  readonly preview: string
  /** What its conversation is named after, where it has the lowest uid there; null where it has and names no id. */
  readonly root: string | null
}

/** Messages whose texts are remembered, some 600 bytes each; and the longest text for which that is so. */
const most = 20_000
const longest = 1_000

/** What messages say never changes, so that a page that was read before needs no second look at them. */
export class RememberedTexts {
  readonly #mailHost: Pick<MailHost, 'summaries'>
  readonly #remembered = new QuickLRU<string, Texts>({ maxSize: most })

  constructor(mailHost: Pick<MailHost, 'summaries'>) {
    this.#mailHost = mailHost
  }

  /** By uid; without those that have left the folder and are not remembered. */
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
    for (const summary of await this.#mailHost.summaries(mailbox, folder, missing)) {
      const texts = { subject: summary.subject, preview: summary.preview, root: summary.threadRoot }
      found.set(summary.uid, texts)
      if (texts.subject.length + texts.preview.length + (texts.root?.length ?? 0) <= longest) {
        this.#remembered.set(name(summary.uid), texts)
      }
    }
    return found
  }
}
