import { type ImapConnection, timeouts } from './connection.ts'
import { atomsOf, attributes, bytesOf, type Data, numberOf, type Token } from './response.ts'
import { readDateTime, uidSet } from './syntax.ts'

/** A FETCH response: data of one message (RFC 9051, section 7.5.2). Absent data is 0 or undefined. */
export class Fetched {
  readonly #items: ReadonlyMap<string, Token>

  constructor(data: Data) {
    this.#items = attributes(data)
  }

  has(item: string): boolean {
    return this.#items.has(item)
  }

  get uid(): number {
    return numberOf(this.#items.get('UID'))
  }

  get size(): number {
    return numberOf(this.#items.get('RFC822.SIZE'))
  }

  get modseq(): number {
    return numberOf(atomsOf(this.#items.get('MODSEQ'))[0])
  }

  /** In lower case. */
  get flags(): string[] {
    return atomsOf(this.#items.get('FLAGS')).map((flag) => flag.toLowerCase())
  }

  get seen(): boolean {
    return isSeen(this.#items.get('FLAGS'))
  }

  /** In milliseconds since the epoch. */
  get receivedAt(): number {
    return readDateTime(bytesOf(this.#items.get('INTERNALDATE')))
  }

  /** The octets of a section, such as `BODY[]`. */
  octets(section: string): Buffer | undefined {
    return bytesOf(this.#items.get(section))
  }
}

export function isSeen(flags: Token | undefined): boolean {
  return atomsOf(flags).some((flag) => flag.length === 5 && flag.toLowerCase() === '\\seen')
}

/** Fetches items of these messages, whose uids must be in ascending order. `onMessage` gets no other message: while the command
 *  runs, a server also reports the flags of messages that other programs change. */
export async function fetchUids(
  connection: ImapConnection,
  uids: readonly number[],
  items: string,
  item: string,
  onMessage: (message: Fetched, data: Data) => false | Promise<true> | undefined,
): Promise<void> {
  if (uids.length === 0) return
  const wanted = new Set(uids)
  await fetch(connection, `UID FETCH ${uidSet(uids)} (UID ${items})`, item, (message, data) =>
    wanted.has(message.uid) ? onMessage(message, data) : false,
  )
}

/** Runs a FETCH. A response without the item, or for which `onMessage` answers false, is unsolicited: it reports a change. */
export async function fetch(
  connection: ImapConnection,
  command: string,
  item: string,
  onMessage: (message: Fetched, data: Data) => false | Promise<true> | undefined,
): Promise<void> {
  const onData = (data: Data) => {
    const message = data.name === 'FETCH' ? new Fetched(data) : undefined
    return message?.has(item) ? (onMessage(message, data) ?? true) : false
  }
  await connection.run([command], { onData, timeout: timeouts.wholeFolder })
}
