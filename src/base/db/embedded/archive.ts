import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

/** The WAL changes while the rest is read, so it comes last. */
const log = 'database/pg_wal'
/** The room that the database keeps on its disk, in files that say nothing. */
const reserve = 'database/reserve*'

/**
 * Writes the cluster and the secret of a data directory into an archive that `tar --extract` unpacks, while the database
 * runs; within `copying` of embedded/upkeep.ts. Only the owner can read the archive. It is written beside its place, synced
 * and renamed, so that a file of that name is complete.
 * @throws Error if it could not be written, or the secret was changed meanwhile; then no file is left
 */
export async function archive(directory: string, file: string, signal: AbortSignal): Promise<void> {
  const draft = `${file}.new`
  const secret = await secretIn(directory)
  try {
    await rm(draft, { force: true })
    await (await open(draft, 'wx', 0o600)).close()
    const kept = ['database', ...(secret ? ['secret'] : [])]
    await tar(['--create', '--anchored', `--exclude=${log}`, `--exclude=${reserve}`], draft, {
      directory,
      kept,
      signal,
    })
    await tar(['--append', '--sort=name'], draft, { directory, kept: [log], signal })
    if (!sameSecret(secret, await secretIn(directory)))
      throw new Error('The secret was changed meanwhile: run this again')
    await sync(draft)
    await rename(draft, file)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
  await sync(join(file, '..'))
}

interface Part {
  readonly directory: string
  readonly kept: readonly string[]
  readonly signal: AbortSignal
}

/** GNU tar ends with 1 if files changed or vanished while it read them. They may: the WAL has the changes. */
async function tar(how: readonly string[], file: string, { directory, kept, signal }: Part): Promise<void> {
  const child = spawn(
    'tar',
    [...how, '--format=gnu', `--file=${file}`, '--force-local', `--directory=${directory}`, ...kept],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { PATH: process.env.PATH, LC_ALL: 'C' },
      signal,
    },
  )
  const [complaints, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
  if (code !== 0 && code !== 1) throw new Error(`tar could not write ${file}: ${complaints.trim().slice(0, 500)}`)
}

async function secretIn(directory: string): Promise<Buffer | undefined> {
  return readFile(join(directory, 'secret')).catch(ifNoFile(undefined))
}

function sameSecret(before: Buffer | undefined, now: Buffer | undefined): boolean {
  return before === undefined || now === undefined ? before === now : before.equals(now)
}

function ifNoFile<T>(instead: T): (error: NodeJS.ErrnoException) => T {
  return (error) => {
    if (error.code === 'ENOENT') return instead
    throw error
  }
}

async function sync(path: string): Promise<void> {
  await using file = await open(path, 'r')
  await file.sync()
}
