import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Db, Tx } from '#/db/schema.ts'
import { fingerprintOf, type Keyring } from './keyring.ts'
import { refreshKeyring } from './open.ts'

/** How often a process says that it runs, and learns which secret is in force, in milliseconds. */
const everyMs = 5_000
/** Who has not said so for this long does not run. */
const silentAfterSeconds = 30

interface Holding {
  readonly db: Db
  readonly keyring: Keyring
  /** What the process is given: the environment's, or the file's as it is now. */
  readonly given: () => Promise<readonly string[]>
  readonly log: Logger
}

/**
 * A process that runs on a database server beside others: the others learn which secrets it knows, and it learns from
 * the database which one is in force.
 */
export class SecretHolder implements AsyncDisposable {
  readonly #at: Holding
  readonly #process = randomUUID()
  #timer: NodeJS.Timeout | undefined
  #beating: Promise<void> = Promise.resolve()
  #lost = false

  private constructor(at: Holding) {
    this.#at = at
  }

  /** @throws Error where a secret that the process does not know came into force as it started */
  static async start(at: Holding): Promise<SecretHolder> {
    const holder = new SecretHolder(at)
    // Whoever puts another secret in force holds that row until it has seen who runs; so we are seen, or see it.
    await at.db.transaction().execute(async (tx) => {
      await holder.#tell(tx)
      await sql`select from installation for share`.execute(tx)
    })
    await holder.beat()
    if (holder.#lost) throw new Error('The secret was changed as this process started: start it with the new one')
    holder.#timer = setInterval(() => void holder.beat().catch(() => {}), everyMs)
    holder.#timer.unref()
    return holder
  }

  /** What it does every few seconds; a database that does not answer is heard of elsewhere. */
  beat(): Promise<void> {
    this.#beating = this.#beating.catch(() => {}).then(() => this.#beat())
    return this.#beating
  }

  async #beat(): Promise<void> {
    const { db, keyring, given, log } = this.#at
    const known = await refreshKeyring(db, keyring, await given())
    if (!known && !this.#lost)
      log.error('the secret in force is unknown to this process, which cannot open what is sealed: restart it with it')
    this.#lost = !known
    await this.#tell(db)
  }

  async #tell(db: Db): Promise<void> {
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
    await this.#beating.catch(() => {})
    await this.#at.db
      .deleteFrom('secret_holders')
      .where('process', '=', this.#process)
      .execute()
      .catch(() => {})
  }
}

/** How many processes run that do not know the secret. */
export async function processesWithout(db: Db | Tx, secret: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from secret_holders
    where seen_at > clock_timestamp() - ${silentAfterSeconds} * interval '1 second'
      and not ${fingerprintOf(secret)} = any (knows)`.execute(db)
  return rows[0]?.count ?? 0
}

/** How many processes run that still make things under another secret. */
export async function processesUsingOthers(db: Db, secret: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from secret_holders
    where seen_at > clock_timestamp() - ${silentAfterSeconds} * interval '1 second'
      and uses <> ${fingerprintOf(secret)}`.execute(db)
  return rows[0]?.count ?? 0
}
