import { Refusal } from '#/errors.ts'
import type { Heading, HeadingPage, MailboxRef, MailHost } from '#/ports/mail-host.ts'
import type { ClaimedRun, RunFolder } from './run.ts'

/** What filters look at of some messages of a folder. */
export interface Page {
  readonly uidValidity: number
  readonly messages: readonly Heading[]
  /** Up to where the folder has been read by it. */
  readonly upTo: number
}

/** Reads the messages that runs go through. */
export class Pages {
  readonly #mailHost: MailHost
  #ahead: { readonly name: string; readonly page: Promise<Page | undefined> } | undefined

  constructor(mailHost: MailHost) {
    this.#mailHost = mailHost
  }

  /** So many messages, from where the folder has been gone through. Undefined if the folder is deleted. */
  read(run: ClaimedRun, folder: RunFolder, most: number): Promise<Page | undefined> {
    const ahead = this.#ahead
    this.#ahead = undefined
    return ahead?.name === nameOf(run, folder) ? ahead.page : this.#read(run, folder, most)
  }

  /** Begins to read what is asked for next. */
  readAhead(run: ClaimedRun, folder: RunFolder, most: number): void {
    const page = this.#read(run, folder, most)
    page.catch(() => {}) // whoever reads it hears of it
    this.#ahead = { name: nameOf(run, folder), page }
  }

  /** What was read ahead is not asked for soon. */
  forget(): void {
    this.#ahead = undefined
  }

  async #read(run: ClaimedRun, folder: RunFolder, most: number): Promise<Page | undefined> {
    const withHeader = run.filters.some(({ field }) => field !== 'subject')
    const range = { after: folder.uid, last: folder.lastUid, most, withHeader }
    const page = await unlessGone(this.#mailHost.headings(mailboxOf(run, folder), folder.folder, range))
    return page && { ...page, upTo: upToIn(page, most) ?? folder.lastUid }
  }
}

export function mailboxOf({ owner: { organizationId } }: ClaimedRun, { mailboxId }: RunFolder): MailboxRef {
  return { organizationId, mailboxId }
}

/** Undefined if the folder or its mailbox is deleted. */
export async function unlessGone<T>(looked: Promise<T>): Promise<T | undefined> {
  try {
    return await looked
  } catch (error) {
    if (error instanceof Refusal && (error.code === 'not_found' || error.field === 'folder')) return undefined
    throw error
  }
}

/** Undefined at the end. */
function upToIn({ messages }: HeadingPage, most: number): number | undefined {
  return messages.length < most ? undefined : messages.at(-1)?.uid
}

function nameOf(run: ClaimedRun, { mailboxId, folder, uid }: RunFolder): string {
  return JSON.stringify([run.id, mailboxId, folder, uid])
}
