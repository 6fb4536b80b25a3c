import type pg from 'pg'
import { readMigrations } from '../migrate.ts'
import { movableTables, quoted, sequences, type Table } from './catalogue.ts'
import { Lines } from './file.ts'

/** Rows that are fetched at a time, at most and as far as they are about as large as those before. One takes up to 2 MiB,
 *  which a MiB of octets is in hexadecimal. */
const mostAtATime = 32
const charactersAtATime = 4 * 2 ** 20

/** Hears how many rows have been moved, of how many. */
export type Count = (done: number, all: number) => void

/**
 * The file that an installation goes into, uncompressed, piece by piece: all that one moment's snapshot of the database
 * holds, whoever writes to it meanwhile. On the embedded database nobody can.
 */
export async function* exported(
  pool: pg.Pool,
  { mailroom, exportedAt, count }: { mailroom: string; exportedAt: Date; count: Count },
): AsyncGenerator<Buffer> {
  const client = await pool.connect()
  try {
    await client.query('begin isolation level repeatable read read only')
    await client.query(plainText)
    const tables = await movableTables(client)
    const rows = await rowsOf(client, tables)
    const migrations = (await readMigrations()).map(({ name, checksum }) => [name, checksum] as const)
    const lines = new Lines()
    yield lines.header({
      ...{ mailroom, exported_at: exportedAt.toISOString(), migrations, rows },
      secret_fingerprint: await fingerprint(client),
    })
    const all = Object.values(rows).reduce((sum, number) => sum + number, 0)
    let done = 0
    for (const table of tables) {
      yield lines.mark({ table: table.name })
      for await (const texts of textsOf(client, table)) {
        yield lines.rows(texts)
        done += texts.length
        count(done, all)
      }
    }
    yield lines.mark({ sequences: await sequences(client) })
    yield lines.mark({ end: true })
  } finally {
    // Who has had enough may leave a statement under way.
    await client.query('rollback').catch(() => {})
    client.release()
  }
}

/** Has every server write the same text for a value, and lets it take its time. */
const plainText = `
  set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0;
  set local timezone = 'UTC'; set local datestyle = 'ISO, YMD'; set local intervalstyle = 'postgres';
  set local bytea_output = 'hex'; set local extra_float_digits = 1`

async function rowsOf(client: pg.ClientBase, tables: readonly Table[]): Promise<Record<string, number>> {
  const counted: Record<string, number> = {}
  for (const { name } of tables) {
    const { rows } = await client.query<{ count: number }>(`select count(*) from ${quoted(name)}`)
    counted[name] = rows[0]?.count ?? 0
  }
  return counted
}

async function fingerprint(client: pg.ClientBase): Promise<string | null> {
  const { rows } = await client.query<{ hex: string }>(
    `select encode(secret_fingerprint, 'hex') as hex from installation`,
  )
  return rows[0]?.hex ?? null
}

/** The rows of a table, each column as text, which tells a null of JSON from none and reads back as what it was. A column
 *  would hide a row that has its name, so the row has one that no column has. */
async function* textsOf(client: pg.ClientBase, { name, columns }: Table): AsyncGenerator<string[]> {
  const texts = columns.map((column) => `${quoted(column.name)}::text`)
  await client.query(`
    declare moving no scroll cursor for
    select row_to_json("whole row")::text as text from (select ${texts.join(', ')} from ${quoted(name)}) "whole row"`)
  for (let atATime = mostAtATime; ; ) {
    const { rows } = await client.query<{ text: string }>(`fetch ${atATime} from moving`)
    if (rows.length === 0) break
    const average = rows.reduce((sum, { text }) => sum + text.length, 0) / rows.length
    atATime = Math.max(1, Math.min(mostAtATime, Math.floor(charactersAtATime / average)))
    yield rows.map(({ text }) => text)
  }
  await client.query('close moving')
}
