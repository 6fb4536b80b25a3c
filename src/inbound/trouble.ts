import { type Reply, reply } from './reply.ts'

/** disk_full, as PostgreSQL says it and as the system does. */
const FULL = new Set(['53100', 'ENOSPC'])

/** What is answered to an error of our own: the client keeps the message and comes again. */
export function troubleReply(error: unknown): Reply {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (FULL.has(code)) return reply(452, '4.3.1', 'There is no room for mail just now; try again later')
  return reply(451, '4.3.0', 'Something is out of order here; try again later')
}
