import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '#/errors.ts'
import { type Allowance, SlidingWindow } from './rate-limit.ts'
import type { Scope } from './scopes.ts'
import type { SharedWindow } from './shared-window.ts'

export const perMinute = { quota: 600, windowMs: 60_000 }

/** Whose request this is, told from a bearer token; undefined for a token that opens nothing. `guessing` says that many
 *  of them came from there. */
export type Identify = (
  token: string,
  guessing: boolean,
) => Promise<{ keyId: string; organizationId: string; scopes: ReadonlySet<Scope>; suspended: boolean } | undefined>

/** What is known of keys. */
export interface Keys {
  readonly identify: Identify
  /** Whether a token has the form of a key, with the right checksum. */
  readonly isKey: (token: string) => boolean
}

/**
 * The first three checks of a request under /v1, in the document's order: who it is (401), how many came before it
 * (429), whether its key may (403). Requests whose key opens nothing are counted by client address, so that nobody
 * can guess keys at will, nor have the database look for them at will. `shared` counts with other processes on one
 * database.
 */
export function authorizer({ identify, isKey }: Keys, now: () => number, shared?: SharedWindow) {
  const keys = new SlidingWindow({ ...perMinute, maxCallers: 20_000 })
  const strangers = new SlidingWindow({ ...perMinute, maxCallers: 20_000 })

  /** Exact for what this process lets in; where others answer for the same keys, they count too. */
  async function take(keyId: string): Promise<Allowance> {
    const here = keys.take(keyId, now())
    if (!shared || !here.allowed) return here
    const among = await shared.take(keyId)
    if (among.allowed) return { ...here, remaining: Math.min(here.remaining, among.remaining) }
    keys.giveBack(keyId)
    return { allowed: false, remaining: 0, resetSeconds: Math.max(1, Math.ceil(among.waitMs / 1000)) }
  }

  return async function authorize(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const token = bearerToken(request)
    const identity = token === undefined ? undefined : await identify(token, strangers.isOver(request.ip, now()))
    if (!identity) {
      const allowance = strangers.take(request.ip, now())
      if (!allowance.allowed) throw rateLimited(allowance)
      reply.header('WWW-Authenticate', challenge(token))
      throw unauthorized(request, token, isKey)
    }
    request.organizationId = identity.organizationId
    request.keyId = identity.keyId
    const allowance = await take(identity.keyId)
    reply.header('RateLimit-Policy', `"key";q=${perMinute.quota};w=${perMinute.windowMs / 1000}`)
    reply.header('RateLimit', `"key";r=${allowance.remaining};t=${allowance.resetSeconds}`)
    if (!allowance.allowed) throw rateLimited(allowance)
    if (identity.suspended) throw suspended()
    requireScope(identity.scopes, request.routeOptions.config.scope)
  }
}

/** The scheme is case-insensitive (RFC 9110 11.1). Two Authorization headers are none. */
function bearerToken(request: FastifyRequest): string | undefined {
  if (request.raw.headersDistinct.authorization?.length !== 1) return undefined
  return /^Bearer ([\x21-\x7e]+)$/i.exec(request.headers.authorization ?? '')?.[1]
}

function requireScope(held: ReadonlySet<Scope>, wanted: Scope | readonly Scope[] | undefined): void {
  if (wanted === undefined) return
  const any = [wanted].flat()
  if (any.some((scope) => held.has(scope))) return
  throw new Refusal('forbidden', `This key lacks the scope ${any.join(' or ')}`, {
    fix: 'Use a key that has it; the operator makes keys with `mailroom key create`',
  })
}

/** Whichever scopes the key has, and whatever is asked for. */
function suspended(): Refusal {
  return new Refusal('forbidden', 'This organization is suspended', { fix: 'Ask whoever runs this service' })
}

/** RFC 6750, section 3: what was no attempt with a key is told of no error. */
function challenge(token: string | undefined): string {
  return `Bearer realm="Mailroom"${token === undefined ? '' : ', error="invalid_token"'}`
}

function unauthorized({ raw }: FastifyRequest, token: string | undefined, isKey: Keys['isKey']): Refusal {
  const fix = 'Send `Authorization: Bearer <API key>`'
  if (raw.headersDistinct.authorization === undefined)
    return new Refusal('unauthorized', 'No API key was sent', { fix })
  if (token === undefined) {
    return new Refusal('unauthorized', 'Authorization must be there once, as `Bearer` and an API key', { fix })
  }
  return isKey(token)
    ? new Refusal('unauthorized', 'This API key is unknown, expired or revoked', {
        fix: 'Ask the operator for another: `mailroom key create`',
      })
    : new Refusal('unauthorized', 'This is no API key: it was mistyped or cut short', {
        fix: 'Copy it anew: `mrk_` and 38 letters and digits',
      })
}

function rateLimited({ resetSeconds }: Allowance): Refusal {
  return new Refusal('rate_limited', `Over ${perMinute.quota} requests in a minute`, {
    fix: `Wait ${resetSeconds} s, then send it again`,
    retryAfter: resetSeconds,
  })
}
