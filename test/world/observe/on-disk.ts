import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Db } from '#/base/db/schema.ts'

/** A text that occurs nowhere by chance. */
export function mark(): string {
  return `qz${randomBytes(7).toString('hex')}x`
}

export interface Found {
  readonly file: string
  readonly form: string
  /** The 8 KiB in front of it, an octet a character. */
  readonly before: string
}

/** Where files below these directories hold the mark, as it is or in a form that mail, JSON and databases have for text. */
export async function foundOnDisk(directories: readonly string[], mark: string): Promise<Found[]> {
  const forms = formsOf(mark)
  const found: Found[] = []
  for (const directory of directories)
    for (const file of await filesBelow(directory)) {
      const bytes = await readFile(file).catch(() => Buffer.alloc(0))
      for (const [form, needle] of forms)
        for (let at = bytes.indexOf(needle); at >= 0; at = bytes.indexOf(needle, at + 1))
          found.push({ file, form, before: bytes.toString('latin1', Math.max(0, at - 8192), at) })
    }
  return found
}

/** Octets and characters outside of it may be on either side: of base64 the groups are taken that they do not change. */
function formsOf(mark: string): Map<string, Buffer> {
  const octets = Buffer.from(mark)
  const base64 = (shift: number) => Buffer.concat([Buffer.alloc(shift), octets, Buffer.alloc(2)]).toString('base64')
  const inner = (shift: number) => base64(shift).slice(shift === 0 ? 0 : 4, -8)
  return new Map([
    ['as it is', octets],
    ['in capitals', Buffer.from(mark.toUpperCase())],
    ['in base64', Buffer.from(inner(0))],
    ['in base64, one octet on', Buffer.from(inner(1))],
    ['in base64, two octets on', Buffer.from(inner(2))],
    ['in hexadecimal', Buffer.from(octets.toString('hex'))],
    ['in UTF-16', Buffer.from(mark, 'utf16le')],
    ['in quoted-printable', Buffer.from(quotedPrintable(octets))],
  ])
}

function quotedPrintable(octets: Buffer): string {
  return [...octets].map((octet) => `=${octet.toString(16).toUpperCase()}`).join('')
}

/** Directories may go meanwhile, as those of other databases on the same server do. */
async function filesBelow(directory: string): Promise<string[]> {
  const files: string[] = []
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name)
    if (entry.isFile()) files.push(path)
    if (entry.isDirectory()) files.push(...(await filesBelow(path).catch(nothingIfGone)))
  }
  return files
}

function nothingIfGone(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'ENOENT') return []
  throw error
}

/** Has the database keep everything as it is given it: neither rows nor its write-ahead log are compressed. */
export async function keepPlain(db: Db): Promise<void> {
  const { rows: columns } = await sql<{ table: string; column: string }>`
    select attrelid::regclass::text as table, attname as column
    from pg_attribute join pg_class on pg_class.oid = attrelid
    where relnamespace = 'public'::regnamespace and relkind = 'r' and attnum > 0 and not attisdropped
      and attstorage in ('x', 'm')`.execute(db)
  for (const { table, column } of columns)
    await sql`alter table ${sql.table(table)} alter column ${sql.ref(column)} set storage external`.execute(db)
  const { rows } = await sql<{ wal: string }>`select current_setting('wal_compression') as wal`.execute(db)
  assert.deepEqual(rows, [{ wal: 'off' }])
}

/** Where the database is, all of it written. */
export async function databaseDirectory(db: Db): Promise<string> {
  await sql`checkpoint`.execute(db)
  const { rows } = await sql<{ directory: string }>`select current_setting('data_directory') as directory`.execute(db)
  return rows[0]?.directory ?? ''
}
