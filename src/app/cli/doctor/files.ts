import { constants } from 'node:fs'
import { access, readFile, stat, statfs } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Config } from '#/app/config/config.ts'
import { isWhole, reserveBytes } from '#/base/db/embedded/reserve.ts'
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
  const disk = await diskOf(path)
  const room = `${path}, ${free} MiB free`
  const roomOfDisk = `${room} on ${disk}`
  const reserve = secrets.databaseUrl === undefined ? await reserveFinding(join(path, 'database'), disk) : undefined
  if (reserve) return problem(check, `${roomOfDisk}; ${reserve.found}`, reserve.fix)
  if (free < 100) return problem(check, roomOfDisk, `Free space on ${disk}: no mail is accepted when the disk is full`)
  if (free < 1024) return warning(check, roomOfDisk, `Free space on ${disk}`)
  if ((found.mode & 0o077) !== 0 && secrets.databaseUrl === undefined)
    return warning(check, `${path} can be read by other users of this machine`, `chmod 700 ${path}`)
  return ok(check, room)
}

/** What is said of a disk so full that the database uses the room that it keeps to delete mail with. */
async function reserveFinding(cluster: string, disk: string): Promise<{ found: string; fix: string } | undefined> {
  if ((await isWhole(cluster)) !== false) return undefined
  const fix =
    `Free space on ${disk}, by deleting mail too: mail is accepted again once ${(2 * reserveBytes) / mebibyte} MiB are free. ` +
    'Until then it can be read and deleted'
  return { found: 'the disk is full: mail is deferred with 452 4.3.1, and nothing can be sent', fix }
}

/** The device of a path and where it is mounted, as Linux names them; else the path itself. */
async function diskOf(path: string): Promise<string> {
  const lines = (await readFile('/proc/self/mountinfo', 'utf8').catch(() => '')).split('\n')
  const mounts = lines.flatMap((line) => {
    const [before = '', after = ''] = line.split(' - ')
    // Octal numbers stand for spaces and the like (proc(5)).
    const place = before
      .split(' ')[4]
      ?.replace(/\\(\d{3})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 8)))
    const source = after.split(' ')[1]
    return place !== undefined && source !== undefined && isWithin(path, place) ? [{ place, source }] : []
  })
  // Of two at one place the later one hides the other.
  const [mount] = mounts.toReversed().sort((one, other) => other.place.length - one.place.length)
  return mount ? `the disk ${mount.source}, mounted at ${mount.place}` : path
}

function isWithin(path: string, directory: string): boolean {
  return directory === '/' || path === directory || path.startsWith(`${directory}/`)
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
