import { platform } from 'node:os'
import { relative, resolve } from 'node:path'

/**
 * No second process may open the embedded database, so the CLI sends commands to the server over a Unix socket in the data
 * directory, one a connection. The client writes its argv as one line of JSON. The server writes a line for each report of
 * progress, then one with the reply, and closes.
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

/** The size of `sun_path` without its final NUL on Linux; BSDs and macOS have four bytes less. */
const mostPathBytes = platform() === 'linux' ? 107 : 103

/**
 * The path of the socket of a data directory. If it is too long for a socket, the path from the working directory.
 * @throws Error that says what to do if both are too long
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

/** Undefined if the line is not a request. */
export function parseRequest(line: string): Request | undefined {
  const value = parse(line)
  const argv = value?.argv
  return Array.isArray(argv) && argv.every((word) => typeof word === 'string') ? { argv } : undefined
}

/** Undefined if the line is not a report of progress. */
export function parseProgress(line: string): string | undefined {
  const { progress } = parse(line) ?? {}
  return typeof progress === 'string' ? progress : undefined
}

/** Undefined if the line is not a whole reply: the server ended as it wrote. */
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
