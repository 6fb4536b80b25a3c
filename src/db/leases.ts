import { type RawBuilder, sql } from 'kysely'
import type { Db, Schema } from './schema.ts'

/** The right to work on a row until its lease ends, or is lost to somebody who found that it had ended. */
export interface Lease<Id extends string | number = string | number> {
  readonly id: Id
  /** It goes up with each claim, so that only the last one's writes have an effect (a fencing token). */
  readonly epoch: number
}

/** A time by the database's clock: `SharedTime`, or `databaseNow` to have the statement itself look. */
export type Now = Date | RawBuilder<Date>

/** Not `now()`, which stands still within a transaction. */
export const databaseNow = sql<Date>`clock_timestamp()`

/** Tables with the columns of a lease. */
export type LeasedTable = {
  [Name in keyof Schema]: Schema[Name] extends { leased_until: unknown; lease_epoch: unknown } ? Name : never
}[keyof Schema]

/** Which rows to claim. */
export interface Wanted {
  /** `select id`, in the queue's own fair order, of as many as are wanted. Leave out what is not `free`. */
  readonly chosen: RawBuilder<unknown>
  /** What makes a row due. It is asked again once the row is locked: another process may have had it meanwhile. */
  readonly due: RawBuilder<unknown>
  /** What `update … set` changes beside the lease. */
  readonly set?: RawBuilder<unknown>
  readonly returning?: RawBuilder<unknown>
}

/** How many expired leases one statement takes back. */
const mostTakenBack = 1_000

/**
 * The leases on a table that is a queue: several processes claim rows of it, and a row that a process has claimed is left
 * alone by all others until the lease ends. Each leased table has `leased_until`, which is null while nobody has the row,
 * and `lease_epoch`.
 *
 * A claim is one statement, so a process that ends at any instant has claimed a row or has not. The database's clock
 * decides when a lease ends, since the clocks of processes differ. A lease that ends later than any claim could have made
 * it has ended too: then the clock was set back, and nobody shall wait until it is there again. A step back by less than
 * a lease makes leases longer by as much.
 */
export class Leases {
  /** How long a lease lasts unless it is extended, in milliseconds. */
  readonly forMs: number
  readonly #table: RawBuilder<unknown>
  readonly #id: RawBuilder<unknown>
  readonly #epoch: RawBuilder<unknown>
  readonly #until: RawBuilder<unknown>

  constructor(table: LeasedTable, forMs: number) {
    this.forMs = forMs
    this.#table = sql.table(table)
    this.#id = sql.ref(`${table}.id`)
    this.#epoch = sql.ref(`${table}.lease_epoch`)
    this.#until = sql.ref(`${table}.leased_until`)
  }

  /** Claims rows for this process, in no particular order. Of several processes that want a row one gets it, and none waits
   *  for another. */
  async claim<Row>(db: Db, now: Now, { chosen, due, set, returning }: Wanted): Promise<(Lease & Row)[]> {
    const { rows } = await sql<Lease & Row>`
      with chosen as materialized (${chosen}), claimed as materialized (
        select id from ${this.#table}
        where id = any (array(select id from chosen)) and ${due} and ${this.free(now)} for no key update skip locked
      )
      update ${this.#table}
      set lease_epoch = lease_epoch + 1, leased_until = ${this.#end(now)}${set ? sql`, ${set}` : sql``}
      where id = any (array(select id from claimed))
      returning id, lease_epoch as epoch${returning ? sql`, ${returning}` : sql``}`.execute(db)
    return rows
  }

  /** Has the leases last from now on, and answers the ids of those that were not lost. One that has ended and that nobody
   *  has claimed meanwhile is not lost. */
  async extend(db: Db, leases: readonly Lease[], now: Now): Promise<ReadonlySet<Lease['id']>> {
    const { rows } = await sql<Pick<Lease, 'id'>>`
      update ${this.#table} set leased_until = ${this.#end(now)} where ${this.held(leases)} returning id`.execute(db)
    return new Set(rows.map(({ id }) => id))
  }

  /** Ends the leases and writes the outcome of the work, but where a lease was lost. Answers the ids of those that were not. */
  async release(db: Db, leases: readonly Lease[], set: RawBuilder<unknown>): Promise<ReadonlySet<Lease['id']>> {
    const { rows } = await sql<Pick<Lease, 'id'>>`
      update ${this.#table} set leased_until = null, ${set} where ${this.held(leases)} returning id`.execute(db)
    return new Set(rows.map(({ id }) => id))
  }

  /** Takes rows back from processes that ended with them, for queues that tell a row that may have ended a process from
   *  others: until then `due` there has `leased_until is null`. */
  async takeBack(db: Db, now: Now, set: RawBuilder<unknown>): Promise<number> {
    const { numAffectedRows = 0n } = await sql`
      with expired as materialized (
        select id from ${this.#table} where leased_until is not null and ${this.free(now)}
        limit ${mostTakenBack} for no key update skip locked
      )
      update ${this.#table} set leased_until = null, lease_epoch = lease_epoch + 1, ${set}
      where id in (select id from expired)`.execute(db)
    return Number(numAffectedRows)
  }

  /** True of rows that nobody has a lease on. Whether the clock was set back is asked of the clock as it is by then: to a
   *  process that stood still since it read `now`, a lease made meanwhile looks too long, and is not. */
  free(now: Now): RawBuilder<boolean> {
    const latest = after(sql<Date>`greatest(${at(now)}, ${databaseNow})`, 2 * this.forMs)
    return sql`(${this.#until} is null or ${this.#until} <= ${at(now)} or ${this.#until} > ${latest})`
  }

  /** True of rows of which the lease was not lost. Every write of a process that has a lease asks this. Id and epoch are
   *  compared as one text, since PostgreSQL joins a list of pairs row by row with every other that it takes for short; and
   *  `is not null` would have it go through the index of all leases. */
  held(leases: readonly Lease[]): RawBuilder<boolean> {
    const [first] = leases
    if (!first) return sql`false`
    const ids = sql`${leases.map(({ id }) => id)}::${sql.raw(typeof first.id === 'number' ? 'bigint[]' : 'uuid[]')}`
    const pairs = leases.map(({ id, epoch }) => `${id} ${epoch}`)
    return sql`${this.#id} = any (${ids}) and num_nulls(${this.#until}) = 0
      and ${this.#id} || ' ' || ${this.#epoch} = any (${pairs}::text[])`
  }

  #end(now: Now): RawBuilder<Date> {
    return after(now, this.forMs)
  }
}

function at(now: Now): RawBuilder<Date> {
  return sql`${now}::timestamptz`
}

function after(now: Now, ms: number): RawBuilder<Date> {
  return sql`${at(now)} + make_interval(secs => ${ms / 1_000})`
}
