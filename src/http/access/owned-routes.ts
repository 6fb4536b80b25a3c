import type { FastifyRequest } from 'fastify'
import type { ErrorCode } from '#/base/errors.ts'
import { type Owner, organizationItself } from '#/base/ownership/owner.ts'
import { hiddenFromKeys } from '#/http/access/authorize.ts'
import type { Scope } from '#/http/access/scopes.ts'

/** The API paths of an owner's labels, filters and blocks. One function registers the routes of each noun for both owners. */
export interface OwnedRoutes {
  /** Whether they belong to the member who makes the request. */
  readonly own: boolean
  /** The path for this path of the organization. */
  readonly at: (path: `/v1/${string}`) => string
  /** Access and heading of a route, and its error codes beyond the usual ones. */
  readonly access: (scope: Scope, noun: string, errors?: readonly ErrorCode[]) => object
  /** The id is that of the organization's operation, `ownId` that of the member's. */
  readonly named: (
    summary: string,
    id: string,
    ownId: string,
  ) => { readonly summary: string; readonly operationId: string }
  readonly ownerIn: (request: FastifyRequest) => Owner
}

/** The organization's, for keys and sessions with the scope. */
export const ofOrganization: OwnedRoutes = {
  own: false,
  at: (path) => path,
  access: (scope, noun, errors = []) => ({ config: { scope, noun, errors } }),
  named: (summary, operationId) => ({ summary, operationId }),
  ownerIn: ({ organizationId }) => organizationItself(organizationId),
}

/** A member's own, in their sessions, with any role. */
export const ofMember: OwnedRoutes = {
  own: true,
  at: (path) => path.replace('/v1/', '/v1/me/'),
  access: (_, noun, errors = []) => ({
    ...hiddenFromKeys,
    config: { access: 'member', noun: `Own ${noun.toLowerCase()}`, errors },
  }),
  named: (summary, _, operationId) => ({ summary, operationId }),
  ownerIn: ({ organizationId, actorId }) => ({ organizationId, memberId: actorId }),
}
