/** One reply of an SMTP server (RFC 5321 4.2). */
export interface Reply {
  readonly code: number
  /** The text of each line, decoded as UTF-8 and shortened, not yet fit to be shown. */
  readonly lines: readonly string[]
}

/** What came is no reply: whoever sent it cannot be talked to. */
export class Garbled extends Error {}

const LF = 0x0a
const CR = 0x0d
const NOTHING = Buffer.alloc(0)

/** RFC 5321 4.5.3.1.5 allows 512 octets a line; more is read on, but not kept. */
const longestLine = 1_024
const mostLines = 128
/** A reply that goes on for longer never ends. */
const mostOctets = 64 * 1024
const longestSaid = 500

/** Takes octets in whatever pieces they come and gives replies. Lines may end in LF alone, as some servers' do. */
export class ReplyReader {
  #waiting: Buffer = NOTHING
  #scanned = 0
  #octets = 0
  #lines: string[] = []
  #code: number | undefined

  /** Whether anything has come that was not given yet. */
  get pending(): boolean {
    return this.#waiting.length > 0 || this.#code !== undefined
  }

  feed(octets: Buffer): void {
    this.#waiting = this.#waiting.length === 0 ? octets : Buffer.concat([this.#waiting, octets])
  }

  /** The next whole reply; undefined until more has come. Throws `Garbled`. */
  next(): Reply | undefined {
    for (;;) {
      const end = this.#waiting.indexOf(LF, this.#scanned)
      if (this.#octets + (end < 0 ? this.#waiting.length : end) > mostOctets) throw new Garbled('it never ends')
      if (end < 0) {
        this.#scanned = this.#waiting.length
        return undefined
      }
      const line = this.#waiting.subarray(0, this.#waiting[end - 1] === CR ? end - 1 : end)
      this.#octets += end + 1
      this.#waiting = end + 1 === this.#waiting.length ? NOTHING : this.#waiting.subarray(end + 1)
      this.#scanned = 0
      const reply = this.#take(line)
      if (reply) return reply
    }
  }

  /** All lines of a reply bear one code, and only the last a space, or nothing, after it (RFC 5321 4.2.1). */
  #take(line: Buffer): Reply | undefined {
    const [start, digits, mark] = /^([2-5][0-9]{2})(-| |$)/.exec(line.toString('latin1', 0, 4)) ?? []
    if (start === undefined || digits === undefined) throw new Garbled('a line has no reply code')
    const code = Number(digits)
    if (this.#code !== undefined && this.#code !== code) throw new Garbled('its lines bear several codes')
    this.#code = code
    if (this.#lines.length < mostLines) this.#lines.push(line.toString('utf8', start.length, longestLine))
    if (mark === '-') return undefined
    const reply = { code, lines: this.#lines }
    this.#code = undefined
    this.#lines = []
    this.#octets = 0
    return reply
  }
}

/** The reply as it may be shown and kept: one line, printable, at most 500 characters. */
export function said({ code, lines }: Reply): string {
  // Cut first: to write 128 KiB of control characters as code points takes 66 ms.
  const text = printable(`${code} ${lines.join(' ')}`.slice(0, longestSaid + 1)).trim()
  return text.length > longestSaid ? `${text.slice(0, longestSaid - 1).toWellFormed()}…` : text
}

/** Whatever could move a cursor, turn a line round or not be seen at all is written as its code point. */
function printable(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (one) => `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`)
}

/** The enhanced status code of a reply (RFC 2034), of the class that its code has; X.0.0 where it gives none. */
export function statusOf({ code, lines }: Reply): string {
  const kind = Math.floor(code / 100)
  const [, detail] = /^[245]\.(\d{1,3}\.\d{1,3})(?= |$)/.exec(lines[0] ?? '') ?? []
  return `${kind}.${detail ?? '0.0'}`
}

/** What a server offers in its reply to EHLO (RFC 5321 4.1.1.1): keywords in upper case, with their parameters. */
export function extensionsIn({ lines }: Reply): ReadonlyMap<string, readonly string[]> {
  return new Map(
    lines.slice(1).map((line) => {
      // Old servers write AUTH=LOGIN.
      const [keyword = '', ...parameters] = line
        .trim()
        .toUpperCase()
        .replace(/^AUTH=/, 'AUTH ')
        .split(/\s+/)
      return [keyword, parameters]
    }),
  )
}
