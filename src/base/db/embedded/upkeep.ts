import type pg from 'pg'
import type { Engine } from './engine.ts'
import { isWhole, keepReserve } from './reserve.ts'

type Queryable = Pick<pg.Pool | pg.ClientBase, 'query'>

const checkEveryMillis = 10_000
const vacuumEveryMillis = 60_000
/** The WAL after which a checkpoint is made. A start after a crash replays as much, in about a second. */
const checkpointBytes = 64 * 1024 * 1024
/** The same once the disk is full: a checkpoint lets PostgreSQL write over the WAL before it. */
const fullCheckpointBytes = 4 * 1024 * 1024

/** Makes checkpoints and vacuums tables, as PostgreSQL's own processes do on a server. Without it the WAL grows without
 *  limit, and so do tables with changing rows. Each statement delays queries behind it: a checkpoint 0.2 s, the vacuum of a
 *  fully changed table 3 s per GiB. */
export class Upkeep {
  readonly #pool: Queryable
  #vacuumedAt = performance.now()
  #timer: NodeJS.Timeout | undefined
  readonly #stopping = new AbortController()
  #running: Promise<unknown> = Promise.resolve()
  readonly #engine: Pick<Engine, 'directory' | 'reserve'> | undefined
  readonly #keepsReserve: boolean
  #checkpointSoon = false

  /** With `keepsReserve` it keeps the reserve of the disk whole where that of `engine` is. */
  constructor(
    pool: Queryable,
    { engine, keepsReserve = false }: { engine?: Pick<Engine, 'directory' | 'reserve'>; keepsReserve?: boolean } = {},
  ) {
    this.#pool = pool
    this.#engine = engine
    this.#keepsReserve = keepsReserve
  }

  start(): void {
    this.#engine?.reserve.on('used', this.#reserveUsed)
    this.#timer = setInterval(() => this.#round(), checkEveryMillis).unref()
    if (this.#keepsReserve) this.#running = this.#keepReserve().catch(() => {})
  }

  /** Not only at the next round: a statement that follows may fill the rest of the reserve with its log. */
  readonly #reserveUsed = (): void => {
    if (this.#checkpointSoon) return
    this.#checkpointSoon = true
    const soon = () => {
      this.#checkpointSoon = false
      return this.checkpointIfDue()
    }
    this.#running = this.#running.then(soon).catch(() => {})
  }

  async #keepReserve(): Promise<void> {
    if (this.#engine && this.#keepsReserve) await keepReserve(this.#engine.directory)
  }

  /** Waits for the current round. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    this.#engine?.reserve.off('used', this.#reserveUsed)
    this.#stopping.abort(new Error('The database is being closed'))
    await this.#running
  }

  /** If a round fails because the database is busy or restarting, the next one does its work. */
  #round(): void {
    const round = async () => {
      await this.checkpointIfDue()
      await this.#keepReserve()
      if (performance.now() - this.#vacuumedAt < vacuumEveryMillis) return
      this.#vacuumedAt = performance.now()
      await this.vacuumIfDue()
    }
    this.#running = this.#running.then(round).catch(() => {})
  }

  /** Makes a checkpoint, then lets `copy` read the cluster's files during writes, without another checkpoint meanwhile. All
   *  changes are in the WAL from that checkpoint, with full pages. A copy that reads the WAL last is to a start what a kill
   *  -9 is. @throws Error if PostgreSQL made a checkpoint nevertheless, because it died and recovered, or if the database is
   *  closed */
  copying<T>(copy: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const copied = this.#running.then(async () => {
      const { signal } = this.#stopping
      signal.throwIfAborted()
      await this.#pool.query('checkpoint')
      const before = await this.#lastCheckpoint()
      const result = await copy(signal)
      if ((await this.#lastCheckpoint()) !== before)
        throw new Error('The embedded database has started again meanwhile: run this again')
      return result
    })
    this.#running = copied.catch(() => {})
    return copied
  }

  async #lastCheckpoint(): Promise<string | undefined> {
    const { rows } = await this.#pool.query<{ at: string }>('select redo_lsn::text as at from pg_control_checkpoint()')
    return rows[0]?.at
  }

  async #isFull(): Promise<boolean> {
    return this.#engine !== undefined && (await isWhole(this.#engine.directory)) === false
  }

  async checkpointIfDue(): Promise<void> {
    const { rows } = await this.#pool.query<{ due: boolean }>(
      'select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn) > $1 as due from pg_control_checkpoint()',
      [(await this.#isFull()) ? fullCheckpointBytes : checkpointBytes],
    )
    if (rows[0]?.due) await this.#pool.query('checkpoint')
  }

  /** One table at a time, so that queries run in between; a table and its TOAST separately. */
  async vacuumIfDue(): Promise<void> {
    const { rows } = await this.#pool.query<{ statement: string }>(dueForVacuum)
    for (const { statement } of rows) await this.#pool.query(statement)
  }
}

/** autovacuum's conditions and defaults (PostgreSQL manual, "The Autovacuum Daemon"). */
const dueForVacuum = `
  with state as (
    select format('%I.%I', nspname, t.relname) as name,
      pg_stat_get_dead_tuples(t.oid) > 50 + 0.2 * greatest(t.reltuples, 0)
        or pg_stat_get_ins_since_vacuum(t.oid) > 1000 + 0.2 * greatest(t.reltuples, 0)
        or age(t.relfrozenxid) > 200000000 as rows_due,
      pg_stat_get_mod_since_analyze(t.oid) > 50 + 0.1 * greatest(t.reltuples, 0) as statistics_due,
      pg_stat_get_dead_tuples(large.oid) > 50 + 0.2 * greatest(large.reltuples, 0)
        or age(large.relfrozenxid) > 200000000 as large_values_due
    from pg_class t
      join pg_namespace n on n.oid = t.relnamespace
      left join pg_class large on large.oid = t.reltoastrelid
    where t.relkind in ('r', 'm') and t.relpersistence <> 't'
  )
  select 'vacuum (process_toast false) ' || name as statement from state where rows_due
  union all select 'analyze ' || name from state where statistics_due
  union all select 'vacuum (process_main false) ' || name from state where large_values_due`
