import { randomBytes } from 'node:crypto'
import { link, mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fingerprintOf } from './keyring.ts'

/** The configured source of a process's secrets. */
export interface Given {
  readonly dataDir: string
  readonly secrets: {
    /** Undefined if the data directory holds it. */
    readonly secret: string | undefined
    readonly previousSecret: string | undefined
  }
}

/**
 * The secrets of this process, the newest first; one of them is in force. From MAILROOM_SECRET and MAILROOM_SECRET_PREVIOUS, else
 * from the file `secret` in the data directory. Creates a missing file, readable by its owner only; processes that start
 * together get the same secret.
 * @throws Error if the file is truncated. It must not be replaced silently: data sealed under its secret would be lost.
 */
export async function givenSecrets(config: Given): Promise<readonly [string, ...string[]]> {
  const { secret, previousSecret } = config.secrets
  if (secret !== undefined) return previousSecret === undefined ? [secret] : [secret, previousSecret]
  const path = pathIn(config)
  const [newest = '', ...before] = (await readSecrets(path)) ?? [await makeSecret(config.dataDir, path)]
  if ([newest, ...before].some((one) => one.length < 32))
    throw new Error(`${path} does not hold the secret generated at the first start: restore it from a backup`)
  return [newest, ...before]
}

/** Whether one of this process's secrets has this fingerprint. Creates none. */
export async function hasSecret(config: Given, fingerprint: Buffer) {
  return (await secretsAtHand(config)).some((one) => fingerprintOf(one).equals(fingerprint))
}

/** Like `givenSecrets`, but creates none: empty if the file is missing. */
export async function secretsAtHand(config: Given): Promise<readonly string[]> {
  const { secret, previousSecret } = config.secrets
  if (secret === undefined) return (await readSecrets(pathIn(config))) ?? []
  return previousSecret === undefined ? [secret] : [secret, previousSecret]
}

/** The secret to put in force next: MAILROOM_SECRET, or the first line of the file, where a new one is added if there is only
 *  one. */
export async function nextSecret(config: Given): Promise<string> {
  const [newest, ...before] = await givenSecrets(config)
  if (config.secrets.secret !== undefined || before.length > 0) return newest
  const next = newSecret()
  await writeSecrets(config.dataDir, [next, newest])
  return next
}

/** Removes all other secrets from the file, if this process has its secret from there. */
export async function settleSecret(config: Given, secret: string): Promise<void> {
  if (config.secrets.secret === undefined) await writeSecrets(config.dataDir, [secret])
}

function pathIn({ dataDir }: Given): string {
  return join(dataDir, 'secret')
}

function newSecret(): string {
  return randomBytes(32).toString('hex')
}

/** One secret a line. Undefined if there is no file. */
async function readSecrets(path: string): Promise<readonly string[] | undefined> {
  try {
    return (await readFile(path, 'utf8')).trim().split(/\s*\n\s*/)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Writes the file under another name and links it, so that it never exists without its content. A link does not replace the
 *  file of another process. */
async function makeSecret(directory: string, path: string): Promise<string> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const draft = `${path}.${randomBytes(6).toString('hex')}`
  try {
    await writeDurably(draft, `${newSecret()}\n`)
    await link(draft, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  } finally {
    await rm(draft, { force: true })
  }
  await sync(directory)
  return await readFile(path, 'utf8').then((text) => text.trim())
}

/** Replaces the file atomically. */
async function writeSecrets(directory: string, secrets: readonly string[]): Promise<void> {
  const path = join(directory, 'secret')
  const draft = `${path}.${randomBytes(6).toString('hex')}`
  try {
    await writeDurably(draft, `${secrets.join('\n')}\n`)
    await rename(draft, path)
  } finally {
    await rm(draft, { force: true })
  }
  await sync(directory)
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
