import { type RawBuilder, sql } from 'kysely'
import type { Db, Schema } from './schema.ts'

/** The right to work on a row until its lease ends. A lease is lost once another process has claimed the row since. */
export interface Lease<Id extends string | number = string | number> {
  readonly id: Id
  /** Each claim increments it, so that only writes of the last claim have an effect (a fencing token). */
  readonly epoch: number
}

/** Another process has claimed the row since. Nothing may be written, and what was is to be rolled back. */
export class LeaseLost extends Error {}

/** A time by the database's clock: from `SharedTime`, or `databaseNow`, which the statement evaluates. */
export type Now = Date | RawBuilder<Date>

/** Not `now()`, which is the start of the transaction. */
export const databaseNow = sql<Date>`clock_timestamp()`

/** Tables with the columns of a lease. */
export type LeasedTable = {
  [Name in keyof Schema]: Schema[Name] extends { leased_until: unknown; lease_epoch: unknown } ? Name : never
}[keyof Schema]

/** Which rows to claim. */
export interface ClaimQuery {
  /** `select id` of as many rows as wanted, in the queue's fair order. It must leave out rows that are not `free`. */
  readonly chosen: RawBuilder<unknown>
  /** Whether a row is due. It is evaluated again once the row is locked: another process may have had it meanwhile. */
  readonly due: RawBuilder<unknown>
  /** What `update … set` changes in addition to the lease. */
  readonly set?: RawBuilder<unknown>
  readonly returning?: RawBuilder<unknown>
}

/** Expired leases that one statement reclaims. */
const mostReclaimed = 1_000

/**
 * The leases on a table that is a queue. Several processes claim its rows. No other process uses a claimed row until the lease
 * ends. Each leased table has `leased_until`, null while nobody has the row, and `lease_epoch`.
 *
 * A claim is one statement: a process that dies at any moment has claimed a row or has not. The database's clock decides when
 * a lease ends, since the clocks of processes differ. If the clock was set back, leases end later than any claim could have
 * made them. Those count as ended, so that nobody waits for the clock to return. A step back by less than a lease extends
 * leases by as much.
 */
export class Leases {
  /** The duration of a lease that is not extended, in milliseconds. */
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

  /** Claims rows for this process, in no particular order. Of several processes that claim a row one gets it; none waits. */
  async claim<Row>(db: Db, now: Now, { chosen, due, set, returning }: ClaimQuery): Promise<(Lease & Row)[]> {
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

  /** Extends the leases from now, and answers the ids of those that are not lost. A lease that has ended is not lost until
   *  somebody claims the row. */
  async extend(db: Db, leases: readonly Lease[], now: Now): Promise<ReadonlySet<Lease['id']>> {
    const { rows } = await sql<Pick<Lease, 'id'>>`
      update ${this.#table} set leased_until = ${this.#end(now)} where ${this.held(leases)} returning id`.execute(db)
    return new Set(rows.map(({ id }) => id))
  }

  /** Ends the leases and writes the outcome of the work, except where a lease is lost. Answers the ids of those that are not. */
  async release(db: Db, leases: readonly Lease[], set: RawBuilder<unknown>): Promise<ReadonlySet<Lease['id']>> {
    const { rows } = await sql<Pick<Lease, 'id'>>`
      update ${this.#table} set leased_until = null, ${set} where ${this.held(leases)} returning id`.execute(db)
    return new Set(rows.map(({ id }) => id))
  }

  /** Ends expired leases and sets columns of their rows. For queues that treat a row whose process died differently: there
   *  `due` contains `leased_until is null`. */
  async reclaimExpired(db: Db, now: Now, set: RawBuilder<unknown>): Promise<number> {
    const { numAffectedRows = 0n } = await sql`
      with expired as materialized (
        select id from ${this.#table} where leased_until is not null and ${this.free(now)}
        limit ${mostReclaimed} for no key update skip locked
      )
      update ${this.#table} set leased_until = null, lease_epoch = lease_epoch + 1, ${set}
      where id in (select id from expired)`.execute(db)
    return Number(numAffectedRows)
  }

  /** True for rows without a lease. Whether the clock was set back is decided by its current time: to a process that was
   *  suspended after it read `now`, a newer lease looks too long. */
  free(now: Now): RawBuilder<boolean> {
    const latest = after(sql<Date>`greatest(${at(now)}, ${databaseNow})`, 2 * this.forMs)
    return sql`(${this.#until} is null or ${this.#until} <= ${at(now)} or ${this.#until} > ${latest})`
  }

  /** True for rows whose lease is not lost. Every write of a process that has a lease contains it. Id and epoch are compared as
   *  one text: PostgreSQL joins a list of pairs by nested loop if it expects a short one. `num_nulls` stands for
   *  `is not null`, for which PostgreSQL would scan the index of all leases. */
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
