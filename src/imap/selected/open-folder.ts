import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'
import { imapName } from '../folders/names.ts'
import type { NumberRange } from '../wire/sequence-set.ts'
import { atEnd } from './at-end.ts'
import type { Known } from './folder-changes.ts'
import type { FolderMark, FolderNews, FolderWatch } from './folder-news.ts'
import type { SequenceMap } from './sequence-map.ts'

/** A folder at the moment when it was selected. */
export interface Opened {
  readonly mailbox: MailboxRef
  readonly name: string
  readonly folder: string
  readonly folderId: number
  readonly isReadOnly: boolean
  readonly messages: SequenceMap
  readonly modseq: number
  readonly uidNext: number
  /** The number of announcements before it was read. */
  readonly announcements: number
}

/** A selected folder, with what its client was told of it. */
export class OpenFolder {
  readonly mailbox: MailboxRef
  /** Also its UIDVALIDITY. */
  readonly folderId: number
  /** EXAMINE, or a right that lacks. */
  readonly isReadOnly: boolean
  /** Messages as the client knows them. */
  readonly messages: SequenceMap
  /** What `$` stands for (RFC 5182). */
  savedSearch: readonly NumberRange[] = []
  /** Keywords of which the client was told by FLAGS. */
  keywords: ReadonlySet<string> = new Set()
  /** Called when the folder may have changed. */
  woken: (() => void) | undefined
  /** Tells more of new messages than that they exist. */
  arrived: ((uids: readonly number[]) => Promise<void>) | undefined
  #name: string
  #folder: string
  #expunges: number
  #flags: number
  #uidNext: number
  /** The folder as it was when it was last read; undefined if it must be read again. */
  #mark: FolderMark | undefined
  readonly #watch: FolderWatch
  /** Modification sequences of the session's own changes, with the messages whose flags the client does not know. */
  readonly #own = new Map<number, ReadonlySet<number>>()

  /** To be called once nobody is told of it any more, unless the connection has ended. */
  readonly leave: () => void

  constructor(news: FolderNews, opened: Opened, signal: AbortSignal) {
    const { mailbox, name, folder, folderId, isReadOnly, messages, modseq, uidNext, announcements } = opened
    this.mailbox = mailbox
    this.folderId = folderId
    this.isReadOnly = isReadOnly
    this.messages = messages
    this.#name = name
    this.#folder = folder
    this.#expunges = this.#flags = modseq
    this.#uidNext = uidNext
    this.#mark = { modseq, name: folder }
    this.#watch = news.watch(folderId, this.#mark, announcements, () => this.woken?.())
    this.leave = atEnd(signal, () => this.#watch[Symbol.dispose]())
  }

  /** As IMAP names it: `INBOX`, `Sent`, `Shared/team@example.com/Projects`. */
  get name(): string {
    return this.#name
  }

  /** As the store names it: `inbox`, `sent`, `Projects`. It may be renamed meanwhile. */
  get folder(): string {
    return this.#folder
  }

  /** The client is told of changes up to this modification sequence. */
  get modseq(): number {
    return this.#expunges
  }

  get known(): Known {
    return { expunges: this.#expunges, flags: this.#flags, uidNext: this.#uidNext }
  }

  /** Whether there is nothing to tell, by what is known without a look. */
  isTold(mayExpunge: boolean): boolean {
    const holds = this.#expunges < (this.#mark?.modseq ?? 0)
    return this.#mark !== undefined && this.#watch.isStill(this.#mark) && !(holds && mayExpunge)
  }

  /** Whether the client was told of all changes that were announced: its messages are those that are there. */
  get isCurrent(): boolean {
    return this.isTold(true)
  }

  /** Has the next `tell` look, whatever is known. */
  lookAgain(): void {
    this.#mark = undefined
  }

  get mustLook(): boolean {
    return this.#mark === undefined
  }

  /** The folder was read, after so many announcements. */
  found(mark: FolderMark, announcements: number): void {
    this.#mark = mark
    this.#watch.found(mark, announcements)
    if (mark.name === this.#folder) return
    this.#name = this.#name.slice(0, this.#name.length - imapName(this.#folder).length) + imapName(mark.name)
    this.#folder = mark.name
  }

  /** The client was told of all flags, new messages, and, unless they are held back, expunges. */
  toldTo(
    { modseq, uidNext }: { readonly modseq: number; readonly uidNext: number },
    held: 'nothing' | 'expunges' | 'flags',
  ): void {
    this.#uidNext = uidNext
    if (held === 'nothing') this.#expunges = modseq
    if (held !== 'flags') this.#flags = modseq
    for (const own of this.#own.keys()) if (own <= this.#flags) this.#own.delete(own)
  }

  /** To be called by a command that has changed flags, and has told the client what they are now, or need not (`.SILENT`): what has this
   *  modification sequence is not told again. `except` are uids of those whose modification sequence was above `modseq` before the
   *  change, if their flags were not told: the client does not know what they were. */
  knows(modseq: number, except: Iterable<number> = []): void {
    this.#own.set(modseq, new Set(except))
  }

  /** Whether it comes from a change of the session itself, the outcome of which the client knows. */
  isOwn({ uid, modseq }: { readonly uid: number; readonly modseq: number }): boolean {
    return this.#own.get(modseq)?.has(uid) === false
  }
}
