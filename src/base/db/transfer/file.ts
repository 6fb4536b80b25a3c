import { createHash, type Hash } from 'node:crypto'

const format = 'mailroom export'

/** An installation in one file: lines, compressed by gzip. A line that begins with `#` is a mark; others are rows, each a
 *  JSON object of its columns in PostgreSQL's text form. The header comes first, then each table with its name and rows,
 *  then the next values of sequences, then the end. Each mark but the first has the SHA-256 of everything before it, so that
 *  damage is noticed. */
export interface Header {
  readonly format: typeof format
  readonly version: 1
  /** The version of Mailroom that wrote the file. */
  readonly mailroom: string
  readonly exported_at: string
  /** The names of the database's migrations, with the checksum of each. */
  readonly migrations: readonly (readonly [name: string, checksum: string])[]
  /** The fingerprint in hex of the secret that the database was first used with; null if it was never used. */
  readonly secret_fingerprint: string | null
  /** The number of rows of each table, in this order. */
  readonly rows: Readonly<Record<string, number>>
}

export type Mark =
  | { readonly table: string }
  | { readonly sequences: readonly (readonly [name: string, next: number])[] }
  | { readonly end: true }

/** The file cannot be used; nothing of it was stored. */
export class UnusableFile extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'UnusableFile'
  }
}

const again = 'copy it again, or export again'
const cutShort = (cause?: unknown) => new UnusableFile(`The file is cut short: ${again}`, cause)
const damaged = (cause?: unknown) => new UnusableFile(`The file is damaged: ${again}`, cause)
const noExport = (cause?: unknown) => new UnusableFile('This is no file that `mailroom export` has written', cause)

/** Makes the lines of a file, which must be written in the order in which they are made. */
export class Lines {
  readonly #before = createHash('sha256')

  header(header: Omit<Header, 'format' | 'version'>): Buffer {
    return this.#noted(`#${JSON.stringify({ format, version: 1, ...header })}\n`)
  }

  mark(mark: Mark): Buffer {
    return this.#noted(`#${JSON.stringify({ ...mark, sha256: digest(this.#before) })}\n`)
  }

  rows(rows: readonly string[]): Buffer {
    return this.#noted(rows.map((row) => `${row}\n`).join(''))
  }

  #noted(text: string): Buffer {
    const bytes = Buffer.from(text)
    this.#before.update(bytes)
    return bytes
  }
}

export type Entry = { readonly header: Header } | Mark | { readonly row: Buffer }

/** The contents of a file, given uncompressed. A mark is returned once everything before it has proved intact, and so is the
 *  header. Rows are verified only by the mark behind them. @throws UnusableFile */
export async function* entriesOf(bytes: AsyncIterable<Buffer>): AsyncGenerator<Entry> {
  const before = createHash('sha256')
  let header: Header | undefined
  let last: Mark | undefined
  for await (const line of linesOf(bytes)) {
    if (last && 'end' in last) throw damaged()
    if (line[0] !== hash) {
      if (!last) throw header ? damaged() : noExport()
      yield { row: line.subarray(0, -1) }
    } else if (header) {
      const { sha256, ...mark } = parsed(line) as unknown as Mark & { sha256: string }
      if (sha256 !== digest(before)) throw damaged()
      if (!last) yield { header }
      last = mark
      yield mark
    } else header = headerOf(line)
    before.update(line)
  }
  if (!last || !('end' in last)) throw header ? cutShort() : noExport()
}

const hash = '#'.charCodeAt(0)

/** Longer than any row: a damaged file must not be read into memory whole. */
const mostLineBytes = 64 * 2 ** 20

/** Each with the line feed at its end. */
async function* linesOf(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let begun: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of bytes) {
      let at = 0
      for (let end = chunk.indexOf('\n'); end >= 0; end = chunk.indexOf('\n', at)) {
        const rest = chunk.subarray(at, end + 1)
        yield begun.length > 0 ? Buffer.concat([...begun, rest]) : rest
        at = end + 1
        begun = []
        length = 0
      }
      if (at === chunk.length) continue
      begun.push(chunk.subarray(at))
      length += chunk.length - at
      if (length > mostLineBytes) throw damaged()
    }
  } catch (error) {
    throw inOurWords(error)
  }
  if (begun.length > 0) throw cutShort()
}

/** zlib's errors. */
function inOurWords(error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'Z_BUF_ERROR') return cutShort(error)
  if (code !== 'Z_DATA_ERROR') return error
  return message === 'incorrect header check' ? noExport(error) : damaged(error)
}

function headerOf(line: Buffer): Header {
  const header = parsed(line) as unknown as Header
  if (header.format !== format) throw noExport()
  if (header.version === 1) return header
  throw new UnusableFile(
    `The file was written by Mailroom ${header.mailroom}: import it with that version or a later one`,
  )
}

function parsed(line: Buffer): Record<string, unknown> {
  try {
    return JSON.parse(line.toString('utf8', 1))
  } catch (error) {
    throw damaged(error)
  }
}

function digest(before: Hash): string {
  return before.copy().digest('hex')
}
