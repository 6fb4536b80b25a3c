import type { FolderState } from '#/ports/folder-changes.ts'
import { Fetched } from '../client/fetch.ts'
import { atomsOf, bytesOf, type Data, numberOf, type Token } from '../client/response.ts'
import { numbersIn } from '../client/syntax.ts'
import type { Delta } from '../reading/delta.ts'
import type { ThreadRowsReader } from '../reading/thread-rows.ts'

/** The most messages that one response may report as expunged. */
const mostGone = 5_000_000
/** Messages with changes that are recorded for a reader. Beyond them the reader requests changes from the server. */
const mostNoted = 20_000

/** A range of messages, by sequence numbers. */
export interface Places {
  readonly first: number
  readonly last: number
}

/** A folder that is selected on a connection: the responses to SELECT, what the server has reported since, and the state
 *  that a reader of its changes has. */
export class SelectedFolder {
  readonly path: string
  /** Its state at SELECT; modseq is 0 if the server keeps none for the folder. */
  selectedAt: FolderState = { uidValidity: 0, modseq: 0, uidNext: 0 }
  /** Messages in the folder, as far as the server has reported. */
  exists = 0
  /** In lower case; `\*` if new keywords are allowed. */
  #permanentFlags: ReadonlySet<string> = new Set()
  /** The state that a reader got last on this connection. */
  reported: FolderState | undefined
  /** Whether anything has changed since then, or since SELECT. */
  touched = false
  /** The number of messages with lower uids than the next one that the reader expects. */
  below = 0
  /** The uids of these messages, for a server that reports expunged messages by sequence number only. */
  uids: number[] | undefined
  /** Uids of expunged messages among these that the reader does not know of. */
  gone: number[] = []
  /** Other changes since, as reported by unsolicited responses: with QRESYNC flags come with uid and MODSEQ. On request
   *  Dovecot would scan the whole folder, 8 ms for 100,000 messages. Undefined if the reports are incomplete. */
  #noted: { flags: Map<number, boolean>; modseq: number } | undefined = { flags: new Map(), modseq: 0 }
  /** Rows that are being read for the next step; invalid once anything has changed. */
  ahead: (Places & { readonly rows: Promise<ThreadRowsReader> }) | undefined

  constructor(path: string) {
    this.path = path
  }

  get highestKnown(): number {
    return Math.max(this.selectedAt.modseq, this.reported?.modseq ?? 0)
  }

  /** Whether a flag or keyword, in lower case, is permanent here. */
  keeps(flag: string): boolean {
    return this.#permanentFlags.has(flag) || (this.#permanentFlags.has('\\*') && !flag.startsWith('\\'))
  }

  /** The keywords that messages of the folder have or had, in lower case, as far as the server says. */
  get keywords(): string[] {
    return [...this.#permanentFlags].filter((flag) => !flag.startsWith('\\'))
  }

  /** Handles a response to SELECT. */
  learn({ name, number, values: [value] }: Data): boolean {
    if (name === 'EXISTS') this.exists = number
    else if (name === '[UIDVALIDITY]') this.selectedAt = { ...this.selectedAt, uidValidity: numberOf(value) }
    else if (name === '[UIDNEXT]') this.selectedAt = { ...this.selectedAt, uidNext: numberOf(value) }
    else if (name === '[HIGHESTMODSEQ]') this.selectedAt = { ...this.selectedAt, modseq: numberOf(value) }
    else if (name === '[PERMANENTFLAGS]') this.#keep(value)
    return true
  }

  /** Handles an unsolicited response. */
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

  /** Changes of messages below `uidNext`, except expunged ones; undefined if the server must be asked. Starts recording for
   *  the next step. */
  drainNoted(uidNext: number): Delta | undefined {
    const noted = this.#noted
    this.#noted = { flags: new Map(), modseq: 0 }
    this.touched = false
    // Flags of messages above are read with their rows.
    return noted && { ...noted, flags: new Map([...noted.flags].filter(([uid]) => uid < uidNext)), gone: [] }
  }

  /** The rows read ahead, if they are of these sequence numbers. */
  rowsReadAhead({ first, last }: Places): Promise<ThreadRowsReader> | undefined {
    const { ahead } = this
    this.ahead = undefined
    return ahead?.first === first && ahead.last === last ? ahead.rows : undefined
  }

  /** The reader has so many messages, up to this state. */
  report(state: FolderState, below: number): void {
    this.reported = state
    this.below = below
    this.gone = []
  }

  /** The next messages of the folder have been read, with these uids. */
  grow(uids: Uint32Array, places: number): void {
    const last = uids.at(-1)
    if (this.reported && last !== undefined) this.reported = { ...this.reported, uidNext: last + 1 }
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

  /** RFC 7162, section 3.2.10: without EARLIER, which is part of a reply. */
  #vanished(set: string): void {
    const uids = numbersIn(set, mostGone)
    if (!uids) throw new Error('The mail server names messages in no set')
    this.exists -= uids.length
    const { uidNext } = this.reported ?? { uidNext: 0 }
    for (const uid of uids) {
      if (uid >= uidNext) continue
      this.below--
      this.gone.push(uid)
    }
  }
}
