import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Db } from '#/base/db/schema.ts'
import { cookieWith, sessionToken } from '#/http/access/session-cookie.ts'
import type { SessionAuthenticator } from '../authenticate.ts'
import { longestMs } from '../lifetime.ts'
import { deleteSessionWith } from '../queries.ts'
import { hashToken } from '../token.ts'

export interface EnterDependencies {
  readonly db: Db
  readonly sessions: SessionAuthenticator
  /** The origin under which browsers reach the service; undefined if not configured. */
  readonly publicUrl: string | undefined
}

/** Gives a browser a new session, and ends the one that it had. */
export async function enter(
  { db, sessions, publicUrl }: EnterDependencies,
  { request: { headers }, reply, token }: { request: FastifyRequest; reply: FastifyReply; token: string },
): Promise<void> {
  const before = sessionToken(headers, publicUrl)
  if (before !== undefined) {
    await deleteSessionWith(db, hashToken(before))
    sessions.forget(before)
  }
  reply.header('Set-Cookie', cookieWith('mailroom_session', headers, publicUrl, { token, seconds: longestMs / 1_000 }))
}
