import { createHmac } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '#/base/db/schema.ts'
import { clientNetwork } from '#/base/network/ip-address.ts'
import { DerivedKeys, type Keyring } from '#/base/secrets/keyring.ts'
import { type Failures, isThrottled } from './throttle.ts'

/** The key under which clients, logins and passwords are hashed, so that the tables reveal none of them. A new secret starts
 *  all counts at zero, and no client is known. */
export interface AttemptsKey {
  readonly keys: DerivedKeys
}

export function attemptsKey(keyring: Keyring): AttemptsKey {
  return { keys: new DerivedKeys(keyring, 'mailroom logins') }
}

/** A client's credentials. */
export interface Guess {
  /** The client's address. Its network is counted. */
  readonly address: string
  /** What names the account, whether there is one or not. */
  readonly login: string
  readonly guess: string
  /** What the guess is compared with, or empty. Once that changes, an old guess counts as a new one. */
  readonly against: string
}

/** Verifies a guess once, and not at all while the client is throttled. */
export async function tryGuess(
  db: Db,
  key: AttemptsKey,
  { address, login, guess, against }: Guess,
  verify: () => Promise<boolean>,
): Promise<'right' | 'wrong' | 'throttled'> {
  const attempt = attemptOf(key, { client: clientNetwork(address), login, guess, against })
  const decision = await beginAttempt(db, attempt)
  if (decision === 'throttled') return 'throttled'
  if (decision === 'failed before') return 'wrong'
  if (await verify()) {
    await recordSuccess(db, attempt)
    return 'right'
  }
  await recordFailure(db, attempt)
  return 'wrong'
}

/** A stored guess. */
interface Attempt {
  readonly client: Buffer
  readonly login: Buffer
  readonly guess: Buffer
}

/** @param against what the guess is compared with, or empty. Once that changes, an old guess counts as a new one. */
function attemptOf(
  key: AttemptsKey,
  { client, login, guess, against }: Record<'client' | 'login' | 'guess' | 'against', string>,
): Attempt {
  const hashed = (kind: string, text: string) =>
    createHmac('sha256', key.keys.inForce).update(`${kind}\0${text}`).digest().subarray(0, 16)
  return {
    client: hashed('client', client),
    login: hashed('login', login),
    guess: hashed('guess', `${against}\0${guess}`),
  }
}

/** Decides, before a guess is verified, whether it may be. An allowed attempt counts as failed until `recordSuccess`.
 *  One that failed before is not verified again. A client's attempts wait for each other in all processes. */
async function beginAttempt(
  db: Db,
  { client, login, guess }: Attempt,
): Promise<'allowed' | 'failed before' | 'throttled'> {
  return await db.transaction().execute(async (tx) => {
    // A statement of its own: the next one sees what was committed before it began.
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
    return 'allowed'
  })
}

/** The guess was wrong. */
async function recordFailure(db: Db, { client, login, guess }: Attempt): Promise<void> {
  await sql`
    update login_failures set looked_at = true
    where client = ${client} and login = ${login} and guess = ${guess}`.execute(db)
}

/** The guess was right. */
async function recordSuccess(db: Db, { client, login, guess }: Attempt): Promise<void> {
  await sql`
    with tried as (
      delete from login_failures where client = ${client} and login = ${login} and guess = ${guess}
    )
    insert into login_clients (login, client) values (${login}, ${client})
    on conflict (login, client) do update set seen_at = now()
      where login_clients.seen_at < now() - interval '1 day'`.execute(db)
}

/** Deletes attempts that no longer count. */
export async function forgetLogins(db: Db): Promise<void> {
  await sql`delete from login_failures where failed_at < now() - interval '1 hour'`.execute(db)
  await sql`delete from login_clients where seen_at < now() - interval '30 days'`.execute(db)
}
