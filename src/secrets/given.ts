import { randomBytes } from 'node:crypto'
import { link, mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fingerprintOf } from './keyring.ts'

/** Where a process has its secrets from, as it is configured. */
export interface Given {
  readonly dataDir: string
  readonly secrets: {
    /** Undefined where the data directory holds it. */
    readonly secret: string | undefined
    readonly previousSecret: string | undefined
  }
}

/**
 * The secrets that this process is given, of which one is in force: MAILROOM_SECRET and MAILROOM_SECRET_PREVIOUS, else those
 * in the file `secret` in the data directory, the newest first. It is made here, readable by its owner only, where it is
 * missing. Processes that start together agree on one.
 * @throws Error where the file holds less than a secret: one that was cut short must not be replaced unseen, since
 *   what was made under the old one could not be read any more
 */
export async function givenSecrets(config: Given): Promise<readonly [string, ...string[]]> {
  const { secret, previousSecret } = config.secrets
  if (secret !== undefined) return previousSecret === undefined ? [secret] : [secret, previousSecret]
  const path = pathIn(config)
  const [newest = '', ...before] = (await readSecrets(path)) ?? [await makeSecret(config.dataDir, path)]
  if ([newest, ...before].some((one) => one.length < 32))
    throw new Error(`${path} does not hold the secret that was made at the first start: restore it from a backup`)
  return [newest, ...before]
}

/** Whether one of the secrets that this process is given has this fingerprint. One that is missing is not made. */
export async function hasSecret(config: Given, fingerprint: Buffer) {
  return (await secretsAtHand(config)).some((one) => fingerprintOf(one).equals(fingerprint))
}

/** The secrets that this process is given, the newest first; none where the one that is missing would be made. */
export async function secretsAtHand(config: Given): Promise<readonly string[]> {
  const { secret, previousSecret } = config.secrets
  if (secret === undefined) return (await readSecrets(pathIn(config))) ?? []
  return previousSecret === undefined ? [secret] : [secret, previousSecret]
}

/** The secret that is to be in force next: MAILROOM_SECRET, or one that is made here and laid before the other in the file,
 *  unless that was done before. */
export async function nextSecret(config: Given): Promise<string> {
  const [newest, ...before] = await givenSecrets(config)
  if (config.secrets.secret !== undefined || before.length > 0) return newest
  const next = newSecret()
  await writeSecrets(config.dataDir, [next, newest])
  return next
}

/** Leaves the secret alone in the file, if it is there that this process has it from. */
export async function settleSecret(config: Given, secret: string): Promise<void> {
  if (config.secrets.secret === undefined) await writeSecrets(config.dataDir, [secret])
}

function pathIn({ dataDir }: Given): string {
  return join(dataDir, 'secret')
}

function newSecret(): string {
  return randomBytes(32).toString('hex')
}

/** A line each. */
async function readSecrets(path: string): Promise<readonly string[] | undefined> {
  try {
    return (await readFile(path, 'utf8')).trim().split(/\s*\n\s*/)
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

/** In one step: whoever reads the file meanwhile finds it as it was or as it is. */
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
