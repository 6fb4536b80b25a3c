import { hkdfSync, randomBytes } from 'node:crypto'
import { link, mkdir, open, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from './config/config.ts'
import type { Db } from './db/schema.ts'

/**
 * What this installation's keys are derived from: MAILROOM_SECRET, else the file `secret` in the data directory, which
 * is made here, readable by its owner only, where it is missing. Processes that start together agree on one.
 * @throws Error where the file holds less than a secret: one that was cut short must not be replaced unseen, since
 *   what was made under the old one could not be read any more
 */
export async function installationSecret(config: Pick<Config, 'dataDir' | 'secrets'>): Promise<string> {
  if (config.secrets.secret !== undefined) return config.secrets.secret
  const path = join(config.dataDir, 'secret')
  const secret = (await readSecret(path)) ?? (await makeSecret(config.dataDir, path))
  if (secret.length < 32)
    throw new Error(`${path} does not hold the secret that was made at the first start: restore it from a backup`)
  return secret
}

/**
 * Holds the secret against the one that the database was first used with. Under another one, conversations would fall
 * apart where old mail meets new, and nothing that was sealed could be opened.
 * @throws Error where they differ
 */
export async function assertSameSecret(db: Db, secret: string): Promise<void> {
  const fingerprint = fingerprintOf(secret)
  await db
    .insertInto('installation')
    .values({ secret_fingerprint: fingerprint })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const { secret_fingerprint } = await db
    .selectFrom('installation')
    .select('secret_fingerprint')
    .executeTakeFirstOrThrow()
  if (fingerprint.equals(secret_fingerprint)) return
  throw new Error(
    'The secret is not the one that this database was first used with: set MAILROOM_SECRET, or put the file `secret` ' +
      'back into the data directory, as it was; every process on one database needs the same one',
  )
}

/** Whether this installation's secret is the one with this fingerprint. One that is missing is not made. */
export async function hasSecret({ dataDir, secrets }: Pick<Config, 'dataDir' | 'secrets'>, fingerprint: Buffer) {
  const secret = secrets.secret ?? (await readSecret(join(dataDir, 'secret')))
  return secret !== undefined && fingerprintOf(secret).equals(fingerprint)
}

function fingerprintOf(secret: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', 'mailroom secret fingerprint', 16))
}

async function readSecret(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Written whole under another name and then linked, so that the file is never there without its content; a link
 *  does not replace what another process made first. */
async function makeSecret(directory: string, path: string): Promise<string> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const draft = `${path}.${randomBytes(6).toString('hex')}`
  try {
    await writeDurably(draft, `${randomBytes(32).toString('hex')}\n`)
    await link(draft, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  } finally {
    await rm(draft, { force: true })
  }
  await sync(directory)
  return await readFile(path, 'utf8').then((text) => text.trim())
}

async function writeDurably(path: string, text: string): Promise<void> {
  await using file = await open(path, 'wx', 0o600)
  await file.writeFile(text)
  await file.sync()
}

async function sync(directory: string): Promise<void> {
  await using handle = await open(directory, 'r')
  await handle.sync()
}
