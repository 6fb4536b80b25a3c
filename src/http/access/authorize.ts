import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Actor } from '#/base/audit/actor.ts'
import { Refusal } from '#/base/errors.ts'
import { clientNetwork } from '#/base/network/ip-address.ts'
import { type Allowance, SlidingWindow } from '../rate/rate-limit.ts'
import type { SharedWindow } from '../rate/shared-window.ts'
import type { Caller } from './caller.ts'
import { assertConfirmed } from './confirmation.ts'
import type { Permission } from './permissions.ts'
import type { Scope } from './scopes.ts'
import { isFromOurPage, sessionToken } from './session-cookie.ts'

export const perMinute = { quota: 600, windowMs: 60_000 }

/** The client that sent a token. */
export interface Client {
  readonly address: string
  /** It has sent many invalid ones. */
  readonly guessing: boolean
}

/** The identity of a request, by a key or a member's session, and its rights. */
export interface Identity {
  readonly caller: Caller
  /** The key or the member, in the audit trail. Requests of one identity are counted together. */
  readonly actor: Omit<Actor, 'address'> & { readonly id: string }
  readonly scopes: ReadonlySet<Scope>
  /** Requests a minute. */
  readonly quota: number
  /** Whether the organization is suspended. */
  readonly suspended: boolean
  /** Undefined for a key. */
  readonly member: SignedIn | undefined
}

/** A member in a session. */
export interface SignedIn {
  readonly sessionId: string
  readonly role: string
  readonly permissions: ReadonlySet<Permission>
}

/** The key or session of a token; undefined if it is not valid for this client. */
export type Identify = (token: string, client: Client) => Promise<Identity | undefined>

export interface Gate {
  readonly keys: {
    readonly identify: Identify
    /** Whether a token has the form of a key, with the right checksum. */
    readonly isKey: (token: string) => boolean
  }
  readonly sessions: {
    readonly identify: Identify
    /** When the member last confirmed who they are; undefined if the session has ended. */
    readonly confirmedAt: (session: { organizationId: string; sessionId: string }) => Promise<Date | undefined>
  }
  /** The origin under which clients reach the API; undefined if not configured. */
  readonly publicUrl: string | undefined
}

/**
 * The first three checks of a request under /v1: authentication (401), rate limit (429), scope (403). Requests with an
 * invalid key or session are limited by the client's network, which bounds guessing and its load on the database. `shared`
 * counts the requests of all processes.
 */
export function authorizer({ keys, sessions, publicUrl }: Gate, now: () => number, shared?: SharedWindow) {
  const actors = new SlidingWindow({ ...perMinute, maxCallers: 20_000 })
  const strangers = new SlidingWindow({ ...perMinute, maxCallers: 20_000 })

  async function consume({ actor: { id }, quota }: Identity): Promise<Allowance> {
    const here = actors.consume(id, now(), quota)
    if (!shared || !here.allowed) return here
    const among = await shared.consume(id, quota)
    if (among.allowed) return { ...here, remaining: Math.min(here.remaining, among.remaining) }
    actors.refund(id)
    return { allowed: false, remaining: 0, resetSeconds: Math.max(1, Math.ceil(among.waitMs / 1000)) }
  }

  function countStranger(network: string): void {
    const allowance = strangers.consume(network, now())
    if (!allowance.allowed) throw rateLimited(allowance, perMinute.quota)
  }

  /** With both a key and a session, the key counts. */
  async function identify(request: FastifyRequest, network: string): Promise<Identity | undefined> {
    const client = { address: request.clientAddress, guessing: strangers.isOver(network, now()) }
    const byKey = bearsKey(request)
    const token = byKey ? bearerToken(request) : sessionToken(request.headers, publicUrl)
    return token === undefined ? undefined : await (byKey ? keys : sessions).identify(token, client)
  }

  return async function authorize(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { scope, allMailboxes, access, permission, confirmed } = request.routeOptions.config
    const network = clientNetwork(request.clientAddress)
    if (access === 'sign-in' && !bearsKey(request)) {
      countStranger(network)
      return assertNotCrossSite(request, publicUrl)
    }
    const identity = await identify(request, network)
    if (!identity) {
      countStranger(network)
      if (!bearsKey(request) && sessionToken(request.headers, publicUrl) !== undefined) throw sessionEnded(reply)
      const token = bearerToken(request)
      reply.header('WWW-Authenticate', challenge(token))
      throw unauthorized(request, token, keys.isKey)
    }
    const { caller, quota, member } = identity
    request.caller = caller
    request.organizationId = caller.organizationId
    request.actorId = identity.actor.id
    request.scopes = identity.scopes
    request.actor = { ...identity.actor, address: request.clientAddress }
    request.member = member
    request.identify = async () => {
      const found = await identify(request, network)
      return found?.suspended ? undefined : found
    }
    const allowance = await consume(identity)
    const policy = member ? 'member' : 'key'
    reply.header('RateLimit-Policy', `"${policy}";q=${quota};w=${perMinute.windowMs / 1000}`)
    reply.header('RateLimit', `"${policy}";r=${allowance.remaining};t=${allowance.resetSeconds}`)
    if (!allowance.allowed) throw rateLimited(allowance, quota)
    if (identity.suspended) throw suspended()
    if (member) assertNotCrossSite(request, publicUrl)
    requireScope(identity, scope)
    if (member && permission !== undefined) requirePermission(member, permission)
    if (allMailboxes && !caller.managesAllMailboxes) throw restricted()
    if (!member || !confirmed) return
    const confirmedAt = await sessions.confirmedAt({ ...member, organizationId: caller.organizationId })
    if (!confirmedAt) throw sessionEnded(reply)
    assertConfirmed(confirmedAt, now())
  }
}

/** For routes of members only: for a key they do not exist, whatever it sends. */
export const hiddenFromKeys = {
  preValidation: (request: FastifyRequest, reply: FastifyReply, done: () => void) => {
    if (bearsKey(request)) reply.callNotFound()
    else done()
  },
}

function bearsKey({ raw }: FastifyRequest): boolean {
  return raw.headers.authorization !== undefined
}

const safe = new Set(['GET', 'HEAD', 'OPTIONS'])

/** A page of another site can make a browser send a member's cookie, but cannot pretend to be our page. A sign-in may come
 *  from a program, which sends no such fields. */
function assertNotCrossSite(request: FastifyRequest, publicUrl: string | undefined): void {
  if (safe.has(request.method)) return
  const ours = isFromOurPage(request.headers, publicUrl)
  if (ours ?? (request.member === undefined && request.headers.cookie === undefined)) return
  throw new Refusal('forbidden', 'With a session, this is only done for pages of this service', {
    fix: 'A program uses a key, or sends `Sec-Fetch-Site: same-origin`; behind a proxy, set MAILROOM_PUBLIC_URL',
  })
}

/** The scheme is case-insensitive (RFC 9110, section 11.1). Several Authorization headers count as none. */
function bearerToken(request: FastifyRequest): string | undefined {
  if (request.raw.headersDistinct.authorization?.length !== 1) return undefined
  return /^Bearer ([\x21-\x7e]+)$/i.exec(request.headers.authorization ?? '')?.[1]
}

function requireScope({ scopes, member }: Identity, wanted: Scope | readonly Scope[] | undefined): void {
  if (wanted === undefined) return
  const any = [wanted].flat()
  if (any.some((scope) => scopes.has(scope))) return
  if (member) {
    throw new Refusal('forbidden', `The role ${member.role} lacks the scope ${any.join(' or ')}`, {
      fix: 'Ask an owner or an admin of the organization',
    })
  }
  throw new Refusal('forbidden', `This key lacks the scope ${any.join(' or ')}`, {
    fix: 'Use a key with that scope; the operator creates keys with `mailroom key create`',
  })
}

function requirePermission({ role, permissions }: SignedIn, wanted: Permission): void {
  if (permissions.has(wanted)) return
  throw new Refusal('forbidden', `The role ${role} lacks the permission ${wanted}`, {
    fix: 'Ask an owner of the organization',
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

function unauthorized({ raw }: FastifyRequest, token: string | undefined, isKey: Gate['keys']['isKey']): Refusal {
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

/** A session that has ended, or whose member was removed. */
export function sessionEnded(reply: FastifyReply): Refusal {
  reply.header('WWW-Authenticate', challenge(undefined))
  return new Refusal('unauthorized', 'This session has ended', { fix: 'Sign in again' })
}

function rateLimited({ resetSeconds }: Allowance, quota: number): Refusal {
  return new Refusal('rate_limited', `Rate limit exceeded: ${quota} requests a minute`, {
    fix: `Wait ${resetSeconds} s, then send it again`,
    retryAfter: resetSeconds,
  })
}
