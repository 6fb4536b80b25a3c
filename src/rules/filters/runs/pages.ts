import { ifMissing } from '#/base/errors.ts'
import type { Heading, HeadingPage, UidRange } from '#/mail/store/headings.ts'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'
import type { Evaluated } from './plan.ts'
import type { ClaimedRun } from './run.ts'
import type { RunFolder } from './run-folder.ts'

/** Headers in one page. Each may have 64 KiB. */
const mostHeaders = 500

/** Some messages of a folder, and what the filters of a run make of them. */
export interface Page {
  readonly uidValidity: number
  readonly messages: readonly Heading[]
  readonly found: Evaluated
  /** The last uid that it covers. */
  readonly upTo: number
}

type Evaluate = (run: ClaimedRun, folder: RunFolder, messages: readonly Heading[]) => Promise<Evaluated>

type ReadHeadings = (mailbox: MailboxRef, folder: string, range: UidRange) => Promise<HeadingPage>

/** Reads the messages that runs go through, and evaluates them. */
export class Pages {
  readonly #headings: ReadHeadings
  readonly #evaluate: Evaluate
  #ahead: { readonly name: string; readonly page: Promise<Page | undefined> } | undefined

  constructor(headings: ReadHeadings, evaluate: Evaluate) {
    this.#headings = headings
    this.#evaluate = evaluate
  }

  /** Up to so many messages, from where the folder has been gone through. Undefined if the folder is deleted. */
  read(run: ClaimedRun, folder: RunFolder, most: number): Promise<Page | undefined> {
    const ahead = this.#ahead
    this.#ahead = undefined
    return ahead?.name === nameOf(run, folder) ? ahead.page : this.#read(run, folder, most)
  }

  /** Begins to read the next page. */
  readAhead(run: ClaimedRun, folder: RunFolder, most: number): void {
    const page = this.#read(run, folder, most)
    page.catch(() => {}) // `read` rejects with the error
    this.#ahead = { name: nameOf(run, folder), page }
  }

  /** Drops the page that was read ahead. */
  forget(): void {
    this.#ahead = undefined
  }

  async #read(run: ClaimedRun, folder: RunFolder, atOnce: number): Promise<Page | undefined> {
    const wanted = wantedBy(run)
    const most = wanted === 'header' ? Math.min(atOnce, mostHeaders) : atOnce
    const range = { after: folder.uid, last: folder.lastUid, most, wanted }
    const page = await this.#headings(mailboxOf(run, folder), folder.folder, range).catch(ifMissing(undefined))
    if (!page) return undefined
    const found = await this.#evaluate(run, folder, page.messages)
    return { ...page, found, upTo: upToIn(page, most) ?? folder.lastUid }
  }
}

export function mailboxOf({ owner: { organizationId } }: ClaimedRun, { mailboxId }: RunFolder): MailboxRef {
  return { organizationId, mailboxId }
}

function wantedBy({ filters }: ClaimedRun): UidRange['wanted'] {
  const fields = new Set(filters.map(({ field }) => field))
  return fields.has('to') ? 'header' : fields.has('from') ? 'senders' : 'subject'
}

/** Undefined at the end. */
function upToIn({ messages }: HeadingPage, most: number): number | undefined {
  return messages.length < most ? undefined : messages.at(-1)?.uid
}

function nameOf(run: ClaimedRun, { mailboxId, folder, uid }: RunFolder): string {
  return JSON.stringify([run.id, mailboxId, folder, uid])
}
