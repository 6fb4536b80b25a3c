import type { FastifyRequest } from 'fastify'
import type { ErrorCode } from '#/errors.ts'
import { hiddenFromKeys } from '#/http/access/authorize.ts'
import type { Scope } from '#/http/access/scopes.ts'
import { operationId } from '#/http/openapi/route.ts'
import { type Owner, organizationItself } from './owner.ts'

/** Where the labels, filters and blocks of an owner are in the API. One function registers the routes of each noun. */
export interface OwnedRoutes {
  /** Whether they are those of the member who asks. */
  readonly own: boolean
  /** The path of what the organization has at this path. */
  readonly at: (path: `/v1/${string}`) => string
  /** Whom a route is for, its heading, and codes of errors that it has beyond the usual ones. */
  readonly access: (scope: Scope, noun: string, errors?: readonly ErrorCode[]) => object
  /** `id` where the summary does not make it; `ownId` where "own" behind its verb does not say that it is a member's own. */
  readonly named: (
    summary: string,
    id?: string,
    ownId?: string,
  ) => { readonly summary: string; readonly operationId: string }
  readonly ownerIn: (request: FastifyRequest) => Owner
}

/** The organization's, to keys and sessions with the scope. */
export const ofOrganization: OwnedRoutes = {
  own: false,
  at: (path) => path,
  access: (scope, noun, errors = []) => ({ config: { scope, noun, errors } }),
  named: (summary, id = operationId(summary)) => ({ summary, operationId: id }),
  ownerIn: ({ organizationId }) => organizationItself(organizationId),
}

/** A member's own, in their sessions, whatever their role. */
export const ofMember: OwnedRoutes = {
  own: true,
  at: (path) => path.replace('/v1/', '/v1/me/'),
  access: (_, noun, errors = []) => ({
    ...hiddenFromKeys,
    config: { access: 'member', noun: `Own ${noun.toLowerCase()}`, errors },
  }),
  named: (summary, id = operationId(summary), ownId = id.replace(/^[a-z]+/, '$&Own')) => ({
    summary,
    operationId: ownId,
  }),
  ownerIn: ({ organizationId, actorId }) => ({ organizationId, memberId: actorId }),
}
