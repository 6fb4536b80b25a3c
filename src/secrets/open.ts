import { resolve } from 'node:path'
import type { Db, Tx } from '#/db/schema.ts'
import { type Given, givenSecrets, secretsAtHand } from './given.ts'
import { fingerprintOf, idHashOctets, Keyring } from './keyring.ts'
import { seal, sealingKey, unseal } from './seal.ts'

/** For so long after its change a secret opens what was made under it, in milliseconds. What is waited for longest is a
 *  bounce to a sender that was rewritten, for 21 days (docs/reference/forwarding.md); what is sealed is sealed anew at once. */
export const overlapMs = 30 * 86_400_000

/** What is sealed in the row of the installation is sealed for. */
const place = 'installation'

/**
 * The keyring of the installation. The database knows which of the given secrets is in force, and holds those that were
 * before, sealed under it. A database that nobody has used yet takes the first one given.
 * @throws Error where none of those given is in force: nothing that was sealed could be opened, and conversations would
 *   fall apart where old mail meets new
 */
export async function openKeyring(db: Db, given: readonly string[]): Promise<Keyring> {
  const [first = ''] = given
  await insertInstallation(db, first)
  const row = await installation(db)
  const inForce = given.find((secret) => fingerprintOf(secret).equals(row.secret_fingerprint))
  if (inForce === undefined)
    throw new Error(
      'The secret is not the one that is in force in this database: set MAILROOM_SECRET, or put the file `secret` ' +
        'back into the data directory, as it was; every process on one database needs the same one',
    )
  const keyring = new Keyring(
    inForce,
    given.filter((secret) => secret !== inForce),
  )
  await learnRetired(db, keyring)
  const sealed = row.id_hash_key ?? (await keepIdHashKey(db, keyring))
  keyring.idHashOctets = unseal(sealingKey(keyring, 'message-id hash'), place, sealed)
  return keyring
}

/**
 * The secrets that this process is given for a database. None is made for one that has a secret already.
 * @throws Error where it has one and this process is given none
 */
export async function secretsFor(db: Db, config: Given): Promise<readonly [string, ...string[]]> {
  if ((await secretsAtHand(config)).length === 0 && (await secretInForce(db)))
    throw new Error(
      `The secret of this database is missing: set MAILROOM_SECRET, or put the file \`secret\` into ${resolve(config.dataDir)}, ` +
        'as every other process on this database has it',
    )
  return await givenSecrets(config)
}

/** The fingerprint of the secret that is in force; undefined in a database that nobody has used yet. */
export async function secretInForce(db: Db): Promise<Buffer | undefined> {
  const row = await db.selectFrom('installation').select('secret_fingerprint').executeTakeFirst()
  return row?.secret_fingerprint
}

/**
 * Brings the keyring of a process that runs up to date: which secret is in force, and which were before.
 * @returns false where the one in force is not among those that the process knows, or is given now
 */
export async function refreshKeyring(db: Db, keyring: Keyring, given: readonly string[]): Promise<boolean> {
  keyring.learn(given)
  const { secret_fingerprint: fingerprint } = await installation(db)
  if (!keyring.knows(fingerprint)) return false
  keyring.use(fingerprint)
  await learnRetired(db, keyring)
  return true
}

async function insertInstallation(db: Db, secret: string): Promise<void> {
  await db
    .insertInto('installation')
    .values({ secret_fingerprint: fingerprintOf(secret) })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

async function installation(db: Db) {
  return await db.selectFrom('installation').select(['secret_fingerprint', 'id_hash_key']).executeTakeFirstOrThrow()
}

/** The one retired last is sealed under the one in force; while a change is under way the others may be so under it. */
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

/** Of the first secret, which is in force as long as none is kept. Two processes may do so at once. */
async function keepIdHashKey(db: Db, keyring: Keyring): Promise<Buffer> {
  const sealed = seal(sealingKey(keyring, 'message-id hash'), place, idHashOctets(keyring.inForce.text))
  await db.updateTable('installation').set({ id_hash_key: sealed }).where('id_hash_key', 'is', null).execute()
  return (await installation(db)).id_hash_key ?? sealed
}

/** Lays the secret in force among those that were, and puts the next one in its place. */
export async function retire(tx: Tx, keyring: Keyring, next: string): Promise<void> {
  const { text, fingerprint } = keyring.inForce
  const key = sealingKey(new Keyring(next), 'retired secret')
  await tx
    .insertInto('retired_secrets')
    .values({ fingerprint, sealed: seal(key, fingerprint.toString('hex'), text) })
    .execute()
  // One that was in force before is so again.
  await tx.deleteFrom('retired_secrets').where('fingerprint', '=', fingerprintOf(next)).execute()
  await tx
    .updateTable('installation')
    .set({ secret_fingerprint: fingerprintOf(next) })
    .execute()
}

/** Forgets secrets under which nothing is waited for any more. */
export async function forgetSecrets(db: Db, now: Date): Promise<void> {
  await db
    .deleteFrom('retired_secrets')
    .where('replaced_at', 'is not', null)
    .where('retired_at', '<', new Date(now.getTime() - overlapMs))
    .execute()
}
