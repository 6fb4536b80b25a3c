import type { FastifyRequest } from 'fastify'
import { hiddenFromKeys } from '#/http/access/authorize.ts'
import type { MemberRef } from '#/people/members/member.ts'

/** The options of a route that needs a session. */
export const forMembers = { ...hiddenFromKeys, config: { access: 'member', noun: 'Sessions' } } as const

/** The options of a route that needs a recent confirmation. */
export const forConfirmedMembers = { ...forMembers, config: { ...forMembers.config, confirmed: true } } as const

/** The member of a request to such a route. */
export function memberOf({ organizationId, actorId }: FastifyRequest): MemberRef {
  return { organizationId, memberId: actorId }
}

/** A member in one of their sessions. */
export interface InSession extends MemberRef {
  readonly sessionId: string
}

/** The member of a request to such a route, with the session. */
export function inSession(request: FastifyRequest): InSession {
  return { ...memberOf(request), sessionId: request.member?.sessionId ?? '' }
}
