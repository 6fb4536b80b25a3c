import type pg from 'pg'
import { quoted, type Table } from './catalogue.ts'

/** The size of one statement, unless one row is larger. */
const mostRows = 500
const mostBytes = 4 * 2 ** 20

/** Stores rows, as `exported` writes them, many in a statement. */
export class RowStore {
  readonly #client: pg.ClientBase
  readonly #progress: (stored: number) => Promise<void>
  #statement = ''
  #rows: Buffer[] = []
  #bytes = 0
  #stored = 0

  /** Calls `progress` after each statement with the number of rows. */
  constructor(client: pg.ClientBase, progress: (stored: number) => Promise<void>) {
    this.#client = client
    this.#progress = progress
  }

  /** The table of the rows added next. */
  into({ name, columns }: Table): void {
    const names = columns.map((column) => quoted(column.name))
    const values = columns.map(({ name, type }) => `row.${quoted(name)}::${type}`)
    this.#statement = `
      insert into ${quoted(name)} (${names.join(', ')}) overriding system value
      select ${values.join(', ')} from json_to_recordset($1) as row (${names.map((name) => `${name} text`).join(', ')})`
  }

  async add(row: Buffer): Promise<void> {
    this.#rows.push(row)
    this.#bytes += row.length
    if (this.#rows.length >= mostRows || this.#bytes >= mostBytes) await this.flush()
  }

  async flush(): Promise<void> {
    if (this.#rows.length === 0) return
    // As octets, which are sent unchanged. A string would be converted twice.
    await this.#client.query(this.#statement, [arrayOf(this.#rows)])
    this.#stored += this.#rows.length
    this.#rows = []
    this.#bytes = 0
    await this.#progress(this.#stored)
  }
}

/** JSON of JSON. */
function arrayOf(rows: readonly Buffer[]): Buffer {
  const parts = rows.flatMap((row, at) => [Buffer.from(at === 0 ? '[' : ','), row])
  return Buffer.concat([...parts, Buffer.from(']')])
}
