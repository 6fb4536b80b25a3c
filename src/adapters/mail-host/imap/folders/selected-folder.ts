import type { FolderState } from '#/ports/folder-changes.ts'
import { Fetched } from '../client/fetch.ts'
import { atomsOf, bytesOf, type Data, numberOf, type Token } from '../client/response.ts'
import { numbersIn } from '../client/syntax.ts'
import type { Delta } from '../reading/delta.ts'
import type { ThreadRowsReader } from '../reading/thread-rows.ts'

/** The most messages that one response may say have gone. */
const mostGone = 5_000_000
/** Messages whose changes are noted for a reader who may never ask; it can ask the server. */
const mostNoted = 20_000

/** A run of messages, by their places in the folder. */
export interface Places {
  readonly first: number
  readonly last: number
}

/** A folder that is selected on a connection: what SELECT said of it, what the server has said since, and what a reader
 *  of its changes was told. */
export class SelectedFolder {
  readonly path: string
  /** Its state when it was selected; modseq is 0 where the server keeps none for this folder. */
  selectedAt: FolderState = { uidValidity: 0, modseq: 0, uidNext: 0 }
  /** Messages in the folder, as far as the server has told. */
  exists = 0
  /** In lower case; `\*` where new keywords can be made. */
  #permanentFlags: ReadonlySet<string> = new Set()
  /** What a reader was told last on this connection. */
  told: FolderState | undefined
  /** Something has changed since, or since it was selected. */
  touched = false
  /** So many messages have lower uids than the one that `told` expects next. */
  below = 0
  /** Their uids, where the server names those that go by their places alone. */
  uids: number[] | undefined
  /** Messages below that went, and that the reader was not told of. */
  gone: number[] = []
  /** What else has changed since, as the server has said unasked, to whom QRESYNC tells both uid and MODSEQ with the flags:
   *  Dovecot goes through the whole folder, 8 ms for 100,000 messages, where it is asked. Undefined where it did not say
   *  all of it. */
  #noted: { flags: Map<number, boolean>; modseq: number } | undefined = { flags: new Map(), modseq: 0 }
  /** What is being read for the next step; void once anything has changed. */
  ahead: (Places & { readonly rows: Promise<ThreadRowsReader> }) | undefined

  constructor(path: string) {
    this.path = path
  }

  get highestKnown(): number {
    return Math.max(this.selectedAt.modseq, this.told?.modseq ?? 0)
  }

  /** Whether a flag or keyword, in lower case, would stay on a message. */
  keeps(flag: string): boolean {
    return this.#permanentFlags.has(flag) || (this.#permanentFlags.has('\\*') && !flag.startsWith('\\'))
  }

  /** Those that messages of the folder have or had, in lower case, as far as the server says. */
  get keywords(): string[] {
    return [...this.#permanentFlags].filter((flag) => !flag.startsWith('\\'))
  }

  /** Takes what a SELECT is answered with. */
  learn({ name, number, values: [value] }: Data): boolean {
    if (name === 'EXISTS') this.exists = number
    else if (name === '[UIDVALIDITY]') this.selectedAt = { ...this.selectedAt, uidValidity: numberOf(value) }
    else if (name === '[UIDNEXT]') this.selectedAt = { ...this.selectedAt, uidNext: numberOf(value) }
    else if (name === '[HIGHESTMODSEQ]') this.selectedAt = { ...this.selectedAt, modseq: numberOf(value) }
    else if (name === '[PERMANENTFLAGS]') this.#keep(value)
    return true
  }

  /** Takes what the server says of it unasked. */
  notice(data: Data): void {
    const { name, number } = data
    const [value] = data.values
    if (name === '[PERMANENTFLAGS]') this.#keep(value)
    if (name === 'EXISTS') this.exists = number
    else if (name === 'EXPUNGE') this.#wentFrom(number)
    else if (name === 'VANISHED') this.#vanished(bytesOf(value)?.toString('latin1') ?? '')
    else if (name === 'FETCH') this.#note(data)
    else return
    this.touched = true
    this.ahead = undefined
  }

  /** What has changed of the messages below `uidNext`, but for those that went; undefined where the server must be asked.
   *  From here on it is for the next step. */
  drainNoted(uidNext: number): Delta | undefined {
    const noted = this.#noted
    this.#noted = { flags: new Map(), modseq: 0 }
    this.touched = false
    // The flags of others are read with them.
    return noted && { ...noted, flags: new Map([...noted.flags].filter(([uid]) => uid < uidNext)), gone: [] }
  }

  /** What was read ahead of just these places. */
  rowsReadAhead({ first, last }: Places): Promise<ThreadRowsReader> | undefined {
    const { ahead } = this
    this.ahead = undefined
    return ahead?.first === first && ahead.last === last ? ahead.rows : undefined
  }

  /** The reader holds so many messages, up to this state. */
  tell(state: FolderState, below: number): void {
    this.told = state
    this.below = below
    this.gone = []
  }

  /** The next so many places of the folder have been read, with these uids. */
  grow(uids: Uint32Array, places: number): void {
    const last = uids.at(-1)
    if (this.told && last !== undefined) this.told = { ...this.told, uidNext: last + 1 }
    this.below += places
    this.uids?.push(...uids)
  }

  #keep(flags: Token | undefined): void {
    this.#permanentFlags = new Set(atomsOf(flags).map((flag) => flag.toLowerCase()))
  }

  #note(data: Data): void {
    const message = new Fetched(data)
    const { uid, modseq, seen } = message
    const whole = uid > 0 && modseq > 0 && message.has('FLAGS')
    if (!this.#noted || !whole || this.#noted.flags.size === mostNoted) this.#noted = undefined
    else {
      this.#noted.flags.set(uid, seen)
      this.#noted.modseq = Math.max(this.#noted.modseq, modseq)
    }
  }

  #wentFrom(place: number): void {
    this.exists--
    if (place > this.below) return
    this.below--
    const [uid] = this.uids?.splice(place - 1, 1) ?? []
    if (uid !== undefined) this.gone.push(uid)
  }

  /** RFC 7162, section 3.2.10: without EARLIER, which answers a question. */
  #vanished(set: string): void {
    const uids = numbersIn(set, mostGone)
    if (!uids) throw new Error('The mail server names messages in no set')
    this.exists -= uids.length
    const { uidNext } = this.told ?? { uidNext: 0 }
    for (const uid of uids) {
      if (uid >= uidNext) continue
      this.below--
      this.gone.push(uid)
    }
  }
}
