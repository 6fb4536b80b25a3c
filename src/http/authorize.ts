import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Actor } from '#/audit/actor.ts'
import { Refusal } from '#/errors.ts'
import { clientNetwork } from '#/ip-address.ts'
import type { Caller } from './caller.ts'
import { type Allowance, SlidingWindow } from './rate-limit.ts'
import type { Scope } from './scopes.ts'
import type { SharedWindow } from './shared-window.ts'

export const perMinute = { quota: 600, windowMs: 60_000 }

/** Where a token came from. */
export interface Client {
  readonly address: string
  /** It has sent many invalid ones. */
  readonly guessing: boolean
}

/** A key, and for whom it acts. */
export interface Identity {
  readonly keyId: string
  readonly caller: Caller
  /** The key in the audit trail. */
  readonly actor: Omit<Actor, 'address'>
  readonly scopes: ReadonlySet<Scope>
  /** Requests a minute. */
  readonly quota: number
  /** The organization is. */
  readonly suspended: boolean
}

/** Identifies the key of a bearer token; undefined for one that opens nothing to this client. */
export type Identify = (token: string, client: Client) => Promise<Identity | undefined>

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

  async function consume({ keyId, quota }: Identity): Promise<Allowance> {
    const here = keys.consume(keyId, now(), quota)
    if (!shared || !here.allowed) return here
    const among = await shared.consume(keyId, quota)
    if (among.allowed) return { ...here, remaining: Math.min(here.remaining, among.remaining) }
    keys.refund(keyId)
    return { allowed: false, remaining: 0, resetSeconds: Math.max(1, Math.ceil(among.waitMs / 1000)) }
  }

  return async function authorize(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const token = bearerToken(request)
    const { clientAddress: address } = request
    const network = clientNetwork(address)
    const client = { address, guessing: strangers.isOver(network, now()) }
    const identity = token === undefined ? undefined : await identify(token, client)
    if (!identity) {
      const allowance = strangers.consume(network, now())
      if (!allowance.allowed) throw rateLimited(allowance, perMinute.quota)
      reply.header('WWW-Authenticate', challenge(token))
      throw unauthorized(request, token, isKey)
    }
    const { caller, quota, scopes } = identity
    request.caller = caller
    request.organizationId = caller.organizationId
    request.keyId = identity.keyId
    request.actor = { ...identity.actor, address }
    const allowance = await consume(identity)
    reply.header('RateLimit-Policy', `"key";q=${quota};w=${perMinute.windowMs / 1000}`)
    reply.header('RateLimit', `"key";r=${allowance.remaining};t=${allowance.resetSeconds}`)
    if (!allowance.allowed) throw rateLimited(allowance, quota)
    if (identity.suspended) throw suspended()
    const { scope, allMailboxes } = request.routeOptions.config
    requireScope(scopes, scope)
    if (allMailboxes && !caller.seesAllMailboxes) throw restricted()
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

function restricted(): Refusal {
  return new Refusal('forbidden', 'This key is restricted to some mailboxes', {
    fix: 'Use a key that is not; the operator creates keys with `mailroom key create`',
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

function rateLimited({ resetSeconds }: Allowance, quota: number): Refusal {
  return new Refusal('rate_limited', `Rate limit exceeded: ${quota} requests a minute`, {
    fix: `Wait ${resetSeconds} s, then send it again`,
    retryAfter: resetSeconds,
  })
}
