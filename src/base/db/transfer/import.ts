import type pg from 'pg'
import { Upkeep } from '../embedded/upkeep.ts'
import { firstBeforeBaseline, readMigrations } from '../migrate.ts'
import type { Database } from '../open.ts'
import { movableTables, quoted, type Table } from './catalogue.ts'
import type { Count } from './export.ts'
import { type Entry, entriesOf, type Header, UnusableFile } from './file.ts'
import { RowStore } from './row-store.ts'

export interface Importing {
  /** The file, uncompressed. */
  readonly bytes: AsyncIterable<Buffer>
  /** Whether the importing process has the secret with this fingerprint. */
  readonly hasSecret: (fingerprint: Buffer) => Promise<boolean>
  readonly count: Count
}

/** Rows of a migrated database that was never used, or only started on. Those of the file replace them. */
const fromTheStart: ReadonlySet<string> = new Set(['plans', 'installation', 'event_log'])

/** Stores the file in an empty, migrated database, in one transaction: all of it or nothing. @throws UnusableFile, or Error
 *  if the database is in use */
export async function importInto(
  { pool, embedded }: Pick<Database, 'pool' | 'embedded'>,
  { bytes, hasSecret, count }: Importing,
): Promise<Header> {
  await using entries = entriesOf(bytes)
  const header = await headerIn(entries)
  await assertSameMigrations(header)
  if (!(await knows(header, hasSecret))) throw otherSecret()
  const client = await pool.connect()
  try {
    await client.query('begin')
    await client.query('set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0')
    const tables = await movableTables(client)
    await empty(client, tables, header)
    await client.query(forEach(tables, (name) => `alter table ${name} disable trigger user`))
    await store({ client, tables, upkeep: embedded ? new Upkeep(client) : undefined, count }, header, entries)
    await client.query('set constraints all immediate')
    await client.query(forEach(tables, (name) => `alter table ${name} enable trigger user`))
    await client.query(forEach(tables, (name) => `analyze ${name}`))
    await client.query('commit')
    return header
  } catch (error) {
    await client.query('rollback').catch(() => {})
    // What the database cannot read may be damage, which only a later mark shows.
    if (!(error instanceof UnusableFile)) while (!(await entries.next()).done) {}
    throw error
  } finally {
    client.release()
  }
}

async function headerIn(entries: AsyncGenerator<Entry>): Promise<Header> {
  const { value } = await entries.next()
  if (value && 'header' in value) return value.header
  throw new Error('A file begins with its header')
}

/** Name and checksum of the last migration before version 0.9.0, which began with new migrations that make the same tables. */
const lastBeforeBaseline = '129-word-parts.sql b42834416086fd35a91330b3707eff8bea161f5973c68b65c5df0317abb9229f'

/** Rows fit the tables that they come from. */
async function assertSameMigrations({ mailroom, migrations }: Header): Promise<void> {
  if (migrations.at(-1)?.join(' ') === lastBeforeBaseline) return
  if (migrations[0]?.[0] === firstBeforeBaseline)
    throw new UnusableFile(
      `The file was exported by Mailroom ${mailroom} from an older database than this version can read: ` +
        'export again with the last version before 0.9.0',
    )
  const own = new Map((await readMigrations()).map(({ name, checksum }) => [name, checksum]))
  const foreign = migrations.find(([name, checksum]) => own.get(name) !== checksum)
  if (foreign)
    throw new UnusableFile(
      `The file was exported by Mailroom ${mailroom} with migration ${foreign[0]}, which this version does not have: ` +
        'import it with that version',
    )
  if (migrations.length < own.size)
    throw new UnusableFile(
      `The file was exported by Mailroom ${mailroom} from an older database than this version has: ` +
        'export again with this version, or import it with that one and then upgrade',
    )
}

async function knows({ secret_fingerprint: hex }: Header, hasSecret: Importing['hasSecret']): Promise<boolean> {
  return hex === null || (await hasSecret(Buffer.from(hex, 'hex')))
}

function otherSecret(): Error {
  return new UnusableFile(
    'The file comes from an installation with another secret, under which its keys are sealed: set MAILROOM_SECRET ' +
      'to that one, or put its file `secret` into the data directory',
  )
}

/** Checks that there are no other rows, and deletes those that the file replaces. */
async function empty(client: pg.ClientBase, tables: readonly Table[], header: Header): Promise<void> {
  const names = tables.map(({ name }) => quoted(name))
  // Readers may continue. Writers, and another import, wait for the end.
  await client.query(`lock table ${names.join(', ')} in share row exclusive mode`)
  const inUse = []
  for (const { name } of tables) {
    if (fromTheStart.has(name)) continue
    const { rowCount } = await client.query(`select from ${quoted(name)} limit 1`)
    if (rowCount) inUse.push(name)
  }
  if (inUse.length > 0)
    throw new Error(`The database is not empty: there is something in ${inUse.join(', ')}. Import into a new one`)
  const { rowCount } = await client.query(`select from installation where encode(secret_fingerprint, 'hex') <> $1`, [
    header.secret_fingerprint ?? '',
  ])
  if (rowCount) throw new Error('The database was first used with another secret than the file. Import into a new one')
  for (const name of fromTheStart) await client.query(`delete from ${quoted(name)}`)
}

interface Target {
  readonly client: pg.ClientBase
  readonly tables: readonly Table[]
  /** Where no other process makes checkpoints, which free the WAL. */
  readonly upkeep: Upkeep | undefined
  readonly count: Count
}

async function store({ client, tables, upkeep, count }: Target, header: Header, entries: AsyncGenerator<Entry>) {
  const all = Object.values(header.rows).reduce((sum, number) => sum + number, 0)
  const rows = new RowStore(client, async (stored) => {
    count(stored, all)
    await upkeep?.checkpointIfDue()
  })
  // Not `for await`, which would end the entries if storing one fails.
  for (let next = await entries.next(); !next.done; next = await entries.next()) {
    const entry = next.value
    if ('row' in entry) await rows.add(entry.row)
    else await rows.flush()
    if ('table' in entry) rows.into(tableNamed(tables, entry.table))
    // Not by setval, which a rollback does not undo.
    if ('sequences' in entry)
      for (const [name, next] of entry.sequences)
        await client.query(`alter sequence ${quoted(name)} restart with ${BigInt(next)}`)
  }
}

function tableNamed(tables: readonly Table[], name: string): Table {
  const table = tables.find((one) => one.name === name)
  if (table) return table
  throw new UnusableFile(`The file holds a table that Mailroom does not have: ${name}`)
}

function forEach(tables: readonly Table[], statement: (name: string) => string): string {
  return tables.map(({ name }) => statement(quoted(name))).join('; ')
}
