import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '#/errors.ts'
import { clientNetwork } from '#/ip-address.ts'
import { type Allowance, SlidingWindow } from './rate-limit.ts'
import type { Scope } from './scopes.ts'
import type { SharedWindow } from './shared-window.ts'

export const perMinute = { quota: 600, windowMs: 60_000 }

/** Identifies the key of a bearer token; undefined for an invalid one. `guessing`: the client has sent many invalid ones. */
export type Identify = (
  token: string,
  guessing: boolean,
) => Promise<{ keyId: string; organizationId: string; scopes: ReadonlySet<Scope>; suspended: boolean } | undefined>

export interface Keys {
  readonly identify: Identify
  /** Whether a token has the form of a key, with the right checksum. */
  readonly isKey: (token: string) => boolean
}

/**
 * The first three checks of a request under /v1: authentication (401), rate limit (429), scope (403). Requests with an
 * invalid key are limited by the client's network, which bounds guessing and its load on the database. `shared` counts the
 * requests of all processes.
 */
export function authorizer({ identify, isKey }: Keys, now: () => number, shared?: SharedWindow) {
  const keys = new SlidingWindow({ ...perMinute, maxCallers: 20_000 })
  const strangers = new SlidingWindow({ ...perMinute, maxCallers: 20_000 })

  async function consume(keyId: string): Promise<Allowance> {
    const here = keys.consume(keyId, now())
    if (!shared || !here.allowed) return here
    const among = await shared.consume(keyId)
    if (among.allowed) return { ...here, remaining: Math.min(here.remaining, among.remaining) }
    keys.refund(keyId)
    return { allowed: false, remaining: 0, resetSeconds: Math.max(1, Math.ceil(among.waitMs / 1000)) }
  }

  return async function authorize(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const token = bearerToken(request)
    const client = clientNetwork(request.clientAddress)
    const identity = token === undefined ? undefined : await identify(token, strangers.isOver(client, now()))
    if (!identity) {
      const allowance = strangers.consume(client, now())
      if (!allowance.allowed) throw rateLimited(allowance)
      reply.header('WWW-Authenticate', challenge(token))
      throw unauthorized(request, token, isKey)
    }
    request.organizationId = identity.organizationId
    request.keyId = identity.keyId
    const allowance = await consume(identity.keyId)
    reply.header('RateLimit-Policy', `"key";q=${perMinute.quota};w=${perMinute.windowMs / 1000}`)
    reply.header('RateLimit', `"key";r=${allowance.remaining};t=${allowance.resetSeconds}`)
    if (!allowance.allowed) throw rateLimited(allowance)
    if (identity.suspended) throw suspended()
    requireScope(identity.scopes, request.routeOptions.config.scope)
  }
}

/** The scheme is case-insensitive (RFC 9110, section 11.1). Several Authorization headers count as none. */
function bearerToken(request: FastifyRequest): string | undefined {
  if (request.raw.headersDistinct.authorization?.length !== 1) return undefined
  return /^Bearer ([\x21-\x7e]+)$/i.exec(request.headers.authorization ?? '')?.[1]
}

function requireScope(held: ReadonlySet<Scope>, wanted: Scope | readonly Scope[] | undefined): void {
  if (wanted === undefined) return
  const any = [wanted].flat()
  if (any.some((scope) => held.has(scope))) return
  throw new Refusal('forbidden', `This key lacks the scope ${any.join(' or ')}`, {
    fix: 'Use a key with that scope; the operator creates keys with `mailroom key create`',
  })
}

function suspended(): Refusal {
  return new Refusal('forbidden', 'This organization is suspended', { fix: 'Ask the operator of this service' })
}

/** RFC 6750, section 3: no error code for a request without a token. */
function challenge(token: string | undefined): string {
  return `Bearer realm="Mailroom"${token === undefined ? '' : ', error="invalid_token"'}`
}

function unauthorized({ raw }: FastifyRequest, token: string | undefined, isKey: Keys['isKey']): Refusal {
  const fix = 'Send `Authorization: Bearer <API key>`'
  if (raw.headersDistinct.authorization === undefined)
    return new Refusal('unauthorized', 'No API key was sent', { fix })
  if (token === undefined) {
    return new Refusal('unauthorized', 'Send exactly one Authorization header, with `Bearer` and an API key', { fix })
  }
  return isKey(token)
    ? new Refusal('unauthorized', 'This API key is unknown, expired or revoked', {
        fix: 'Ask the operator for a new key (`mailroom key create`)',
      })
    : new Refusal('unauthorized', 'Malformed API key: it was mistyped or truncated', {
        fix: 'Copy the key again: `mrk_` and 38 letters and digits',
      })
}

function rateLimited({ resetSeconds }: Allowance): Refusal {
  return new Refusal('rate_limited', `Rate limit exceeded: ${perMinute.quota} requests a minute`, {
    fix: `Wait ${resetSeconds} s, then send it again`,
    retryAfter: resetSeconds,
  })
}
