import { createHmac } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '#/db/schema.ts'
import { DerivedKeys, type Keyring } from '#/secrets/keyring.ts'
import { type Failures, isThrottled } from './throttle.ts'

/** What clients, logins and passwords are hashed under, so that the tables give none of them away. Under another secret what
 *  was counted counts no more: guesses begin anew, and no client is known. */
export interface AttemptsKey {
  readonly keys: DerivedKeys
}

export function attemptsKey(keyring: Keyring): AttemptsKey {
  return { keys: new DerivedKeys(keyring, 'mailroom logins') }
}

/** A password that a client tries. */
export interface Attempt {
  readonly client: Buffer
  readonly login: Buffer
  readonly guess: Buffer
}

/** @param passwordHash of the mailbox, empty where there is none: a new password makes new guesses of old ones */
export function attemptOf(
  key: AttemptsKey,
  { client, login, password, passwordHash }: Record<'client' | 'login' | 'password' | 'passwordHash', string>,
): Attempt {
  const hashed = (kind: string, text: string) =>
    createHmac('sha256', key.keys.inForce).update(`${kind}\0${text}`).digest().subarray(0, 16)
  return {
    client: hashed('client', client),
    login: hashed('login', login),
    guess: hashed('guess', `${passwordHash}\0${password}`),
  }
}

/** What a password is before it is looked at: one to look at, which counts as failed until `succeeded`; one that has `failed`
 *  before, or one too many. Processes agree, and a client's attempts wait for one another. */
export async function begin(db: Db, { client, login, guess }: Attempt): Promise<'try' | 'failed before' | 'throttled'> {
  return await db.transaction().execute(async (tx) => {
    // Before the statement, since that sees what was committed when it began.
    await sql`select pg_advisory_xact_lock(hashtextextended(encode(${client}::bytea, 'hex'), 587))`.execute(tx)
    const { rows } = await sql<Failures & { again: boolean }>`
      select count(*) filter (where same_client and same_login and not again)::integer as together,
        count(*) filter (where same_client and not again)::integer as client,
        count(*) filter (where same_login and not again)::integer as login,
        coalesce(bool_or(again and looked_at), false) as again,
        exists (
          select from login_clients where login = ${login} and client = ${client} and seen_at > now() - interval '30 days'
        ) as known
      from login_failures cross join lateral (
        select client = ${client} as same_client, login = ${login} as same_login,
          client = ${client} and login = ${login} and guess = ${guess} as again
      ) one
      where (client = ${client} or login = ${login}) and failed_at > now() - interval '1 hour'`.execute(tx)
    const [found] = rows
    if (found?.again) return 'failed before'
    if (found && isThrottled(found)) return 'throttled'
    await sql`
      insert into login_failures (client, login, guess) values (${client}, ${login}, ${guess})
      on conflict (client, login, guess) do update set failed_at = now()`.execute(tx)
    return 'try'
  })
}

/** It was wrong. */
export async function failed(db: Db, { client, login, guess }: Attempt): Promise<void> {
  await sql`
    update login_failures set looked_at = true
    where client = ${client} and login = ${login} and guess = ${guess}`.execute(db)
}

/** It was the right password. */
export async function succeeded(db: Db, { client, login, guess }: Attempt): Promise<void> {
  await sql`
    with tried as (
      delete from login_failures where client = ${client} and login = ${login} and guess = ${guess}
    )
    insert into login_clients (login, client) values (${login}, ${client})
    on conflict (login, client) do update set seen_at = now()
      where login_clients.seen_at < now() - interval '1 day'`.execute(db)
}

/** Forgets what counts no more. */
export async function forgetLogins(db: Db): Promise<void> {
  await sql`delete from login_failures where failed_at < now() - interval '1 hour'`.execute(db)
  await sql`delete from login_clients where seen_at < now() - interval '30 days'`.execute(db)
}
