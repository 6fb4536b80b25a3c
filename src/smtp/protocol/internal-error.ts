import { Rejection, type Reply, reply } from './reply.ts'

/** `disk_full` of PostgreSQL, and the same error of the operating system. */
const FULL = new Set(['53100', 'ENOSPC'])

/** The reply to an error. Any other than a `Rejection` is an internal error: the client keeps the message and tries again. */
export function replyTo(error: unknown): Reply {
  if (error instanceof Rejection) return error.reply
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (FULL.has(code)) return reply(452, '4.3.1', 'Insufficient system storage; try again later')
  return reply(451, '4.3.0', 'Internal error; try again later')
}
