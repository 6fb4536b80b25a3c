import { type RawBuilder, sql } from 'kysely'
import type { Db, Tx } from '#/base/db/schema.ts'
import type { Keyring } from './keyring.ts'
import { markOf, seal, sealingKey, unseal } from './seal.ts'
import { type SealedColumn, type SealedPurpose, sealedColumns } from './sealed-columns.ts'

/** Values resealed in one transaction. One value may have a MiB. */
const mostAtATime = 16

/** A value that is sealed under a secret which is not in force. */
interface Value {
  /** The row's primary key. */
  readonly key: readonly string[]
  readonly place: string
  readonly sealed: Buffer
}

/** Reseals, pass by pass, all values under secrets that are no longer in force. */
export class Resealing {
  readonly #db: Db
  readonly #keyring: Keyring
  readonly #count: (done: number) => void
  readonly #unopened = new Set<string>()
  #done = 0

  constructor(db: Db, keyring: Keyring, count: (done: number) => void) {
    this.#db = db
    this.#keyring = keyring
    this.#count = count
  }

  /** The number of resealed values. */
  get done(): number {
    return this.#done
  }

  /** Table and key of values that no known secret opens. */
  get unopened(): readonly string[] {
    return [...this.#unopened]
  }

  /** Goes through all values once, and skips locked rows. Answers how many are left that can be opened. */
  async pass(): Promise<number> {
    let left = 0
    for (const [purpose, columns] of Object.entries(sealedColumns) as [SealedPurpose, readonly SealedColumn[]][]) {
      for (const column of columns) {
        let last: readonly string[] | undefined
        do last = await this.#db.transaction().execute((tx) => this.#some(tx, purpose, column, last))
        while (last)
        left += await this.#leftIn(column)
      }
    }
    return left - this.#unopened.size
  }

  /** Reseals some values after a key. Answers the last one's key; undefined if there are none. */
  async #some(tx: Tx, purpose: SealedPurpose, column: SealedColumn, after: readonly string[] | undefined) {
    const sealing = sealingKey(this.#keyring, purpose)
    const values = await this.#valuesOf(tx, column, after)
    for (const { key, place, sealed } of values) {
      const plain = openedOrNot(() => unseal(sealing, place, sealed))
      if (!plain) {
        this.#unopened.add(`${column.table} ${key.join(' ')}`)
        continue
      }
      await sql`
        update ${sql.table(column.table)} set ${sql.ref(column.column)} = ${written(column, seal(sealing, place, plain))}
        where ${keyOf(column)} = ${row(key)}`.execute(tx)
      this.#done++
    }
    this.#count(this.#done)
    return values.at(-1)?.key
  }

  /** Skips locked rows, so that there is no deadlock. */
  async #valuesOf(tx: Tx, column: SealedColumn, after: readonly string[] | undefined): Promise<Value[]> {
    const names = sql.join(column.key.map((name) => sql`${sql.ref(name)}::text`))
    const { rows } = await sql<Value>`
      select array[${names}] as key, ${sql.raw(column.place)} as place, ${octetsOf(column)} as sealed
      from ${sql.table(column.table)}
      where ${this.#isOld(column)} ${after ? sql`and ${keyOf(column)} > ${row(after)}` : sql``}
      order by ${sql.join(column.key.map((name) => sql.ref(name)))}
      limit ${mostAtATime} for update skip locked`.execute(tx)
    return rows
  }

  async #leftIn(column: SealedColumn): Promise<number> {
    const { rows } = await sql<{ count: number }>`
      select count(*)::integer as count from ${sql.table(column.table)} where ${this.#isOld(column)}`.execute(this.#db)
    return rows[0]?.count ?? 0
  }

  #isOld({ column, base64, where = 'true' }: SealedColumn): RawBuilder<boolean> {
    const mark = markOf(this.#keyring.inForce)
    // A mark takes nine octets, which are twelve whole characters.
    const begins = base64 ? mark.toString('base64') : mark
    const old = sql`substring(${sql.ref(column)} from 1 for ${begins.length}::integer) <> ${begins}`
    return sql`${old} and ${sql.raw(where)}`
  }
}

function openedOrNot(open: () => Buffer): Buffer | undefined {
  try {
    return open()
  } catch {
    return undefined
  }
}

function octetsOf({ column, base64 }: SealedColumn) {
  return base64 ? sql`decode(${sql.ref(column)}, 'base64')` : sql.ref(column)
}

function written({ base64 }: SealedColumn, sealed: Buffer): Buffer | string {
  return base64 ? sealed.toString('base64') : sealed
}

function keyOf({ key }: SealedColumn) {
  return sql`(${sql.join(key.map((name) => sql.ref(name)))})`
}

/** A row of parameters, which get the types of the columns they are compared with. */
function row(values: readonly string[]) {
  return sql`(${sql.join(values)})`
}
