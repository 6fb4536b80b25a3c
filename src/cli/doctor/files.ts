import { constants } from 'node:fs'
import { access, stat, statfs } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Config } from '#/config/config.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

const mebibyte = 2 ** 20

/** Checks that the data directory exists, is private and has space. */
export async function dataDirectoryFinding({ dataDir, secrets }: Config): Promise<Finding> {
  const check = 'data directory'
  const path = resolve(dataDir)
  const found = await stat(path).catch(codeOf)
  if (found === 'ENOENT') return ok(check, `${path} does not exist yet; it is created when it is first needed`)
  if (typeof found === 'string') return problem(check, `${path} cannot be read: ${found}`, 'Give its owner access')
  if (!found.isDirectory()) return problem(check, `${path} is not a directory`, 'Set MAILROOM_DATA_DIR to one')
  const writable = await access(path, constants.W_OK | constants.X_OK).then(() => true, codeOf)
  if (writable !== true) return problem(check, `${path} cannot be written to`, 'Run as its owner, or change its owner')
  const { bavail, bsize } = await statfs(path)
  const free = Math.floor((bavail * bsize) / mebibyte)
  const room = `${path}, ${free} MiB free`
  if (free < 100) return problem(check, room, 'Free disk space: no mail is accepted when the disk is full')
  if (free < 1024) return warning(check, room, 'Free disk space')
  if ((found.mode & 0o077) !== 0 && secrets.databaseUrl === undefined)
    return warning(check, `${path} can be read by other users of this machine`, `chmod 700 ${path}`)
  return ok(check, room)
}

/** Whether the directory has an embedded database. */
export function hasEmbeddedDatabase(dataDir: string): Promise<boolean> {
  return access(join(dataDir, 'database')).then(
    () => true,
    () => false,
  )
}

export function codeOf(error: NodeJS.ErrnoException): string {
  return error.code ?? error.message
}
