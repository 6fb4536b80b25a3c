/** One reply of an SMTP server (RFC 5321, section 4.2). */
export interface Reply {
  readonly code: number
  /** The text of each line, in UTF-8 and truncated; unsafe to display. */
  readonly lines: readonly string[]
}

/** The server sent something that is not a reply. */
export class MalformedReply extends Error {}

const LF = 0x0a
const CR = 0x0d
const NOTHING = Buffer.alloc(0)

/** RFC 5321, section 4.5.3.1.5 allows 512 octets a line; the rest is discarded. */
const longestLine = 1_024
const mostLines = 128
const mostOctets = 64 * 1024
const longestSaid = 500

/** Parses replies from chunks of octets. Accepts lines that end in LF alone. */
export class ReplyReader {
  #waiting: Buffer = NOTHING
  #scanned = 0
  #octets = 0
  #lines: string[] = []
  #code: number | undefined

  /** Whether unparsed input remains. */
  get pending(): boolean {
    return this.#waiting.length > 0 || this.#code !== undefined
  }

  feed(octets: Buffer): void {
    this.#waiting = this.#waiting.length === 0 ? octets : Buffer.concat([this.#waiting, octets])
  }

  /** The next complete reply, if there is one. Throws `MalformedReply`. */
  next(): Reply | undefined {
    for (;;) {
      const end = this.#waiting.indexOf(LF, this.#scanned)
      if (this.#octets + (end < 0 ? this.#waiting.length : end) > mostOctets) throw new MalformedReply('it is too long')
      if (end < 0) {
        this.#scanned = this.#waiting.length
        return undefined
      }
      const line = this.#waiting.subarray(0, this.#waiting[end - 1] === CR ? end - 1 : end)
      this.#octets += end + 1
      this.#waiting = end + 1 === this.#waiting.length ? NOTHING : this.#waiting.subarray(end + 1)
      this.#scanned = 0
      const reply = this.#addLine(line)
      if (reply) return reply
    }
  }

  /** All lines have one code; a space or nothing follows it in the last line only (RFC 5321, section 4.2.1). */
  #addLine(line: Buffer): Reply | undefined {
    const [start, digits, mark] = /^([2-5][0-9]{2})(-| |$)/.exec(line.toString('latin1', 0, 4)) ?? []
    if (start === undefined || digits === undefined) throw new MalformedReply('a line has no reply code')
    const code = Number(digits)
    if (this.#code !== undefined && this.#code !== code) throw new MalformedReply('its lines have different codes')
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

/** The reply for display: one line, printable, at most 500 characters. */
export function replyText({ code, lines }: Reply): string {
  // Truncated first: escaping 128 KiB of control characters takes 66 ms.
  const text = printable(`${code} ${lines.join(' ')}`.slice(0, longestSaid + 1)).trim()
  return text.length > longestSaid ? `${text.slice(0, longestSaid - 1).toWellFormed()}…` : text
}

/** Escapes control, bidirectional and invisible characters. */
function printable(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (one) => `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`)
}

/** The enhanced status code of a reply (RFC 2034), in the class of its reply code; X.0.0 if it has none. */
export function statusOf({ code, lines }: Reply): string {
  const kind = Math.floor(code / 100)
  const [, detail] = /^[245]\.(\d{1,3}\.\d{1,3})(?= |$)/.exec(lines[0] ?? '') ?? []
  return `${kind}.${detail ?? '0.0'}`
}

/** The extensions in a reply to EHLO (RFC 5321, section 4.1.1.1): keywords in upper case, with parameters. */
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
