import { platform } from 'node:os'
import { relative, resolve } from 'node:path'

/**
 * How the CLI reaches a server whose embedded database no second process may open: over a Unix socket in the data
 * directory, one command a connection. The client writes its argv as one line of JSON. The server answers a line for
 * each thing that it has to tell meanwhile, then one with the outcome, and closes.
 */
export interface Request {
  readonly argv: readonly string[]
}

/** What the command wrote and how it ended. */
export interface Reply {
  readonly stdout: string
  readonly stderr: string
  readonly exitCode: number
}

/** The longest request, in bytes. */
export const mostRequestBytes = 65_536

/** What fits into `sun_path` before its closing NUL, on Linux; BSDs and macOS have four bytes less. */
const mostPathBytes = platform() === 'linux' ? 107 : 103

/**
 * Where the socket of a data directory is. A path that is too long for a socket is given relative to the working
 * directory, where that is shorter.
 * @throws Error with the way out where both are too long
 */
export function socketPath(dataDir: string): string {
  const absolute = resolve(dataDir, 'control.sock')
  const paths = [absolute, relative('.', absolute)]
  const fitting = paths.find((path) => Buffer.byteLength(path) <= mostPathBytes)
  if (fitting !== undefined) return fitting
  throw new Error(
    `The path ${absolute} is too long for a Unix socket, which takes ${mostPathBytes} bytes: ` +
      'set MAILROOM_DATA_DIR to a shorter path, or run mailroom from a directory nearer to it',
  )
}

/** The request in a line, or undefined where it is none. */
export function parseRequest(line: string): Request | undefined {
  const value = parse(line)
  const argv = value?.argv
  return Array.isArray(argv) && argv.every((word) => typeof word === 'string') ? { argv } : undefined
}

/** What a line tells of a command that still runs, or undefined where it does not. */
export function parseProgress(line: string): string | undefined {
  const { progress } = parse(line) ?? {}
  return typeof progress === 'string' ? progress : undefined
}

/** The reply in a line, or undefined where it is none: the server went away as it wrote. */
export function parseReply(line: string): Reply | undefined {
  const { stdout, stderr, exitCode } = parse(line) ?? {}
  return typeof stdout === 'string' && typeof stderr === 'string' && typeof exitCode === 'number'
    ? { stdout, stderr, exitCode }
    : undefined
}

function parse(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
