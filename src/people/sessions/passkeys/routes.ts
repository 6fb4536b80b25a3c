import type { FastifyRequest } from 'fastify'
import type { Clock } from '#/base/clock/clock.ts'
import type { Db } from '#/base/db/schema.ts'
import { hiddenFromKeys } from '#/http/access/authorize.ts'
import { changeOnce } from '#/http/answers/claimed-key.ts'
import type { App } from '#/http/app-type.ts'
import { pagedWhole } from '#/http/schemas/cursor.ts'
import { ById, Id, ListOf, pathId, Strict, wholeOrPages } from '#/http/schemas/shared-schemas.ts'
import { Type } from '#/http/schemas/type.ts'
import { forConfirmedMembers, forMembers, inSession, memberOf } from '../for-members.ts'
import type { SignOn } from '../single-sign-on/flow.ts'
import { addPasskey, beginPasskey, changePasskey, removePasskey } from './passkeys.ts'
import { passkeysOf } from './queries.ts'
import { relyingPartyOf } from './relying-party.ts'
import { CreationOptions, NewPasskey, PasskeyChange, PasskeyOut, present, RequestOptions } from './schemas.ts'
import { challengePasskey, type PasskeyDependencies } from './signed.ts'

export interface PasskeyRouteDependencies {
  readonly db: Db
  readonly clock: Clock
  /** The origin under which browsers reach the service; undefined if not configured. */
  readonly publicUrl: string | undefined
  /** Whether members may have passwords. */
  readonly passwords: boolean
  /** Undefined without single sign-on. */
  readonly signOn: SignOn | undefined
}

/** A member adds, renames and removes passkeys. */
export function passkeyRoutes(app: App, parts: PasskeyRouteDependencies): void {
  addRoutes(app, parts)
  keptRoutes(app, parts)
  challengeRoutes(app, parts)
}

/** The parameters that verify responses to challenges of this request. @throws Refusal if browsers have no passkeys */
export function passkeyParts(
  { db, clock, publicUrl }: PasskeyRouteDependencies,
  request: FastifyRequest,
): PasskeyDependencies {
  return { db, now: new Date(clock.now()), relyingParty: relyingPartyOf(request, publicUrl) }
}

function addRoutes(app: App, parts: PasskeyRouteDependencies): void {
  app.post(
    '/v1/me/passkeys/challenge',
    {
      ...forConfirmedMembers,
      config: { ...forConfirmedMembers.config, repeatable: false },
      schema: {
        summary: 'Begin to add a passkey',
        operationId: 'beginPasskey',
        description:
          'Answers what `navigator.credentials.create` needs. The passkey is discoverable, and asks for a PIN, a ' +
          'finger or a face. Without TLS, or under an IP address, browsers have no passkeys, and the request is ' +
          'refused.',
        response: { 200: CreationOptions },
      },
    },
    async (request) => ({ options: await beginPasskey(passkeyParts(parts, request), inSession(request)) }),
  )

  app.post(
    '/v1/me/passkeys',
    {
      ...forConfirmedMembers,
      config: { ...forConfirmedMembers.config, repeatable: false },
      schema: {
        summary: 'Add a passkey',
        operationId: 'addPasskey',
        description:
          "Takes the browser's answer to a challenge of `POST /v1/me/passkeys/challenge`. A member has at most 20 " +
          'passkeys.',
        body: NewPasskey,
        response: { 201: PasskeyOut },
      },
    },
    async (request, reply) => {
      const given = { ...request.body, by: request.actor }
      const passkey = await addPasskey(passkeyParts(parts, request), inSession(request), given)
      return reply.code(201).header('Location', '/v1/me/passkeys').send(present(passkey))
    },
  )
}

function keptRoutes(app: App, { db, passwords, signOn }: PasskeyRouteDependencies): void {
  app.get(
    '/v1/me/passkeys',
    {
      ...forMembers,
      schema: {
        summary: 'List your passkeys',
        operationId: 'listPasskeys',
        description: 'Lists passkeys, oldest first.',
        querystring: Strict(wholeOrPages),
        response: { 200: ListOf(PasskeyOut) },
      },
    },
    async (request) => {
      const passkeys = await passkeysOf(db, memberOf(request))
      const list = [request.organizationId, 'passkeys', request.actorId]
      const placeOf = ({ created_at: at, id }: { created_at: Date; id: string }) => [at.getTime(), id]
      const { page, next_cursor } = pagedWhole(passkeys, request.query, { list, placeOf })
      const data = page.map(({ credential_id: _id, transports: _transports, ...passkey }) => present(passkey))
      return { data, next_cursor }
    },
  )

  app.patch(
    '/v1/me/passkeys/:id',
    {
      ...forMembers,
      schema: {
        summary: 'Rename a passkey',
        operationId: 'renamePasskey',
        params: ById,
        body: PasskeyChange,
        response: { 200: PasskeyOut },
      },
    },
    async (request) => {
      const change = { id: pathId(request.params.id, 'passkey'), ...request.body }
      return await changeOnce(db, request, async (tx) =>
        present(await changePasskey(tx, { ...memberOf(request), by: request.actor }, change)),
      )
    },
  )

  app.delete(
    '/v1/me/passkeys/:id',
    {
      ...forConfirmedMembers,
      schema: {
        summary: 'Remove a passkey',
        operationId: 'removePasskey',
        description:
          "The member's other sessions end within 5 seconds in every process. The last passkey cannot be removed " +
          'while there is no other way in.',
        params: ById,
        response: { 200: Type.Object({ deleted: Type.Literal(true), id: Id }) },
      },
    },
    async (request) => {
      const id = pathId(request.params.id, 'passkey')
      const ways = { passwords, issuer: signOn?.admission.issuer }
      return await changeOnce(db, request, async (tx) => {
        await removePasskey(tx, { ...inSession(request), by: request.actor, ways }, id)
        return { deleted: true as const, id }
      })
    },
  )
}

function challengeRoutes(app: App, parts: PasskeyRouteDependencies): void {
  app.post(
    '/v1/session/challenge',
    {
      ...hiddenFromKeys,
      config: { access: 'sign-in', noun: 'Sessions' },
      schema: {
        summary: 'Begin to sign in with a passkey',
        operationId: 'challengeSignIn',
        description:
          'Answers what `navigator.credentials.get` needs; send its answer to `POST /v1/session` as `passkey`. ' +
          'Without TLS, or under an IP address, browsers have no passkeys, and the request is refused.',
        response: { 200: RequestOptions },
      },
    },
    async (request) => ({ options: await challengePasskey(passkeyParts(parts, request)) }),
  )

  app.post(
    '/v1/session/confirm/challenge',
    {
      ...forMembers,
      config: { ...forMembers.config, repeatable: false },
      schema: {
        summary: 'Begin to confirm with a passkey',
        operationId: 'challengeConfirmation',
        description:
          'Answers what `navigator.credentials.get` needs; send its answer to `POST /v1/session/confirm` as ' +
          '`passkey`.',
        response: { 200: RequestOptions },
      },
    },
    async (request) => ({ options: await challengePasskey(passkeyParts(parts, request), inSession(request)) }),
  )
}
