import { resolve } from 'node:path'
import type { Db, Tx } from '#/base/db/schema.ts'
import { type Given, givenSecrets, secretsAtHand } from './given.ts'
import { fingerprintOf, idHashOctets, Keyring } from './keyring.ts'
import { seal, sealingKey, unseal } from './seal.ts'

/** How long a retired secret is kept, in milliseconds. Bounces to a rewritten sender need it for 21 days
 *  (docs/reference/forwarding.md); sealed values are resealed at once. */
export const overlapMs = 30 * 86_400_000

/** The place of values sealed in the row of the installation. */
const place = 'installation'

/**
 * The keyring of the installation. The database records which secret is in force, and holds the retired ones, sealed under it.
 * An unused database records the first given secret.
 * @throws Error if none of the given ones is in force: no sealed value could be opened, and replies would not join the
 *   conversations of old mail
 */
export async function openKeyring(db: Db, given: readonly string[]): Promise<Keyring> {
  const [first = ''] = given
  await insertInstallation(db, first)
  const row = await installation(db)
  const inForce = given.find((secret) => fingerprintOf(secret).equals(row.secret_fingerprint))
  if (inForce === undefined)
    throw new Error(
      'The secret is not the one that is in force in this database: set MAILROOM_SECRET, or restore the file `secret` ' +
        'in the data directory; every process on one database needs the same secret',
    )
  const keyring = new Keyring(
    inForce,
    given.filter((secret) => secret !== inForce),
  )
  await learnRetired(db, keyring)
  keyring.idHashOctets = unseal(sealingKey(keyring, 'message-id hash'), place, row.id_hash_key)
  return keyring
}

/**
 * The secrets of this process. Creates none for a database that has a secret already.
 * @throws Error if the database has a secret and this process has none
 */
export async function secretsFor(db: Db, config: Given): Promise<readonly [string, ...string[]]> {
  if ((await secretsAtHand(config)).length === 0 && (await secretInForce(db)))
    throw new Error(
      `The secret of this database is missing: set MAILROOM_SECRET, or put the file \`secret\` into ${resolve(config.dataDir)}, ` +
        'as every other process on this database has it',
    )
  return await givenSecrets(config)
}

/** The fingerprint of the secret in force; undefined in an unused database. */
export async function secretInForce(db: Db): Promise<Buffer | undefined> {
  const row = await db.selectFrom('installation').select('secret_fingerprint').executeTakeFirst()
  return row?.secret_fingerprint
}

/**
 * Reads which secret is in force, and the retired ones.
 * @returns false if the process does not know the secret in force, and it is not given
 */
export async function refreshKeyring(db: Db, keyring: Keyring, given: readonly string[]): Promise<boolean> {
  keyring.learn(given)
  const { secret_fingerprint: fingerprint } = await installation(db)
  if (!keyring.knows(fingerprint)) return false
  keyring.use(fingerprint)
  await learnRetired(db, keyring)
  return true
}

/** The first secret is in force, and the key for hashes of message ids is derived from it. */
async function insertInstallation(db: Db, secret: string): Promise<void> {
  const key = sealingKey(new Keyring(secret), 'message-id hash')
  await db
    .insertInto('installation')
    .values({ secret_fingerprint: fingerprintOf(secret), id_hash_key: seal(key, place, idHashOctets(secret)) })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

async function installation(db: Db) {
  return await db.selectFrom('installation').select(['secret_fingerprint', 'id_hash_key']).executeTakeFirstOrThrow()
}

/** The secret retired last is sealed under the one in force. During a rotation, earlier ones may be sealed under that. */
async function learnRetired(db: Db, keyring: Keyring): Promise<void> {
  const rows = await db
    .selectFrom('retired_secrets')
    .select(['fingerprint', 'sealed'])
    .orderBy('retired_at', 'desc')
    .execute()
  for (const { fingerprint, sealed } of rows) {
    if (keyring.knows(fingerprint)) continue
    const secret = unseal(sealingKey(keyring, 'retired secret'), fingerprint.toString('hex'), sealed)
    keyring.learn([secret.toString()])
  }
}

/** Retires the secret in force, and puts the next one in force. */
export async function retire(tx: Tx, keyring: Keyring, next: string): Promise<void> {
  const { text, fingerprint } = keyring.inForce
  const key = sealingKey(new Keyring(next), 'retired secret')
  await tx
    .insertInto('retired_secrets')
    .values({ fingerprint, sealed: seal(key, fingerprint.toString('hex'), text) })
    .execute()
  // The next one may have been retired before.
  await tx.deleteFrom('retired_secrets').where('fingerprint', '=', fingerprintOf(next)).execute()
  await tx
    .updateTable('installation')
    .set({ secret_fingerprint: fingerprintOf(next) })
    .execute()
}

/** Deletes retired secrets after `overlapMs`. */
export async function forgetSecrets(db: Db, now: Date): Promise<void> {
  await db
    .deleteFrom('retired_secrets')
    .where('replaced_at', 'is not', null)
    .where('retired_at', '<', new Date(now.getTime() - overlapMs))
    .execute()
}
