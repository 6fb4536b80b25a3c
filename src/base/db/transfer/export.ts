import type pg from 'pg'
import { readMigrations } from '../migrate.ts'
import { movableTables, quoted, sequences, type Table } from './catalogue.ts'
import { Lines } from './file.ts'

/** Rows that are fetched at a time, fewer if they are larger than those before. A row may have 2 MiB, a MiB of octets in
 *  hexadecimal. */
const mostAtATime = 32
const charactersAtATime = 4 * 2 ** 20

/** Receives the number of moved rows, and of all. */
export type Count = (done: number, all: number) => void

/** The export of an installation, uncompressed, in pieces: one snapshot of the database during other writes. The embedded
 *  database has no other writers. */
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
    // A reader that stops may leave a statement running.
    await client.query('rollback').catch(() => {})
    client.release()
  }
}

/** Makes every server print values in the same text, without a time limit. */
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

/** The rows of a table, each column as text, which distinguishes JSON's null from none and can be read back. The row's alias
 *  must differ from all columns, since a column would hide it. */
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
