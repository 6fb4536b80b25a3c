import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Db, Tx } from '#/base/db/schema.ts'
import { Mutex } from '#/base/event-loop/mutex.ts'
import { fingerprintOf, type Keyring } from './keyring.ts'
import { refreshKeyring } from './open.ts'

/** How often a process records that it runs, and reads which secret is in force, in milliseconds. */
const everyMs = 5_000
/** A process without a record for this long does not run. */
const silentAfterSeconds = 30

interface Holding {
  readonly db: Db
  readonly keyring: Keyring
  /** The secrets of the process, from the environment or from the file as it is now. */
  readonly given: () => Promise<readonly string[]>
  readonly log: Logger
}

/**
 * Records in the database which secrets this process knows, for the other processes, and reads from it which secret is in
 * force. For installations on a database server.
 */
export class SecretHolder implements AsyncDisposable {
  readonly #at: Holding
  readonly #process = randomUUID()
  #timer: NodeJS.Timeout | undefined
  readonly #beats = new Mutex()
  #lost = false

  private constructor(at: Holding) {
    this.#at = at
  }

  /** @throws Error if a secret that the process does not know has come into force as it started */
  static async start(at: Holding): Promise<SecretHolder> {
    const holder = new SecretHolder(at)
    // A rotation locks that row and then reads the records. So it sees ours, or we see its secret.
    await at.db.transaction().execute(async (tx) => {
      await holder.#record(tx)
      await sql`select from installation for share`.execute(tx)
    })
    await holder.beat()
    if (holder.#lost) throw new Error('The secret was changed as this process started: start it with the new one')
    holder.#timer = setInterval(() => void holder.beat().catch(() => {}), everyMs)
    holder.#timer.unref()
    return holder
  }

  /** Runs every few seconds. */
  beat(): Promise<void> {
    return this.#beats.run(() => this.#beat())
  }

  async #beat(): Promise<void> {
    const { db, keyring, given, log } = this.#at
    const known = await refreshKeyring(db, keyring, await given())
    if (!known && !this.#lost)
      log.error(
        'this process does not have the secret in force and cannot read sealed data: restart it with the secret',
      )
    this.#lost = !known
    await this.#record(db)
  }

  async #record(db: Db): Promise<void> {
    const { inForce, known } = this.#at.keyring
    const knows = known.map(({ fingerprint }) => fingerprint)
    await sql`
      insert into secret_holders (process, knows, uses)
      values (${this.#process}, ${knows}::bytea[], ${inForce.fingerprint})
      on conflict (process) do update set knows = excluded.knows, uses = excluded.uses, seen_at = excluded.seen_at
    `.execute(db)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer)
    await this.#beats.run(async () => {})
    await this.#at.db
      .deleteFrom('secret_holders')
      .where('process', '=', this.#process)
      .execute()
      .catch(() => {})
  }
}

/** The number of running processes that do not know the secret. */
export async function processesWithout(db: Db | Tx, secret: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from secret_holders
    where seen_at > clock_timestamp() - ${silentAfterSeconds} * interval '1 second'
      and not ${fingerprintOf(secret)} = any (knows)`.execute(db)
  return rows[0]?.count ?? 0
}

/** The number of running processes that still seal under another secret. */
export async function processesUsingOthers(db: Db, secret: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from secret_holders
    where seen_at > clock_timestamp() - ${silentAfterSeconds} * interval '1 second'
      and uses <> ${fingerprintOf(secret)}`.execute(db)
  return rows[0]?.count ?? 0
}
