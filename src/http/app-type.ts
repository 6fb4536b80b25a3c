import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyReply, RawServerDefault } from 'fastify'
import type { Logger } from 'pino'
import type { Actor } from '#/base/audit/actor.ts'
import type { ErrorCode } from '#/base/errors.ts'
import type { SealingKey } from '#/base/secrets/seal.ts'
import type { Identity, SignedIn } from './access/authorize.ts'
import type { Caller } from './access/caller.ts'
import type { Permission } from './access/permissions.ts'
import type { Scope } from './access/scopes.ts'

export type App = FastifyInstance<RawServerDefault, IncomingMessage, ServerResponse, Logger, TypeBoxTypeProvider>

declare module 'fastify' {
  interface FastifyInstance {
    /** Seals the answers stored for an Idempotency-Key. */
    answersKey: SealingKey
  }
  interface FastifyRequest {
    /** The client's IP address, behind trusted proxies too. */
    clientAddress: string
    /** Set once it is known who makes the request. */
    caller: Caller
    /** The organization of the key or member: every query carries it. */
    organizationId: string
    /** Who makes changes, for the audit trail. Set with `caller`. */
    actor: Actor
    /** Of the key or of the member; empty until it is known who makes the request. */
    actorId: string
    /** What the key or member may do; empty for who signs in. */
    scopes: ReadonlySet<Scope>
    /** The member in whose session the request is made; undefined for a key. */
    member: SignedIn | undefined
    /** Who makes the request, read again: undefined once the key or session has ended, or its organization is suspended. */
    identify: () => Promise<Identity | undefined>
    /** SHA-256 of method, path and body; only with an Idempotency-Key. */
    fingerprint: Buffer | null
  }
  interface FastifyContextConfig {
    /** Not for keys: to them the path does not exist. */
    access?: 'member' | 'sign-in'
    /** What the member's role must allow. Only with `access: 'member'`. */
    permission?: Permission
    /** The required scope; of several, any one. */
    scope?: Scope | readonly Scope[]
    /** For a member who has signed in or confirmed in the last ten minutes. A key needs no confirmation. */
    confirmed?: true
    /** A request that takes no Idempotency-Key: it is idempotent by itself. */
    repeatable?: false
    /** Reads an item again whose answer was too large to be kept for its Idempotency-Key. @throws Refusal */
    readAgain?: (reply: FastifyReply, id: string) => Promise<object>
    /** Refused to a key that is restricted to mailboxes. */
    allMailboxes?: true
    /** Error codes beyond those that `openapi-route.ts` derives. */
    errors?: readonly ErrorCode[]
    /** Needs no key, although under /v1. */
    open?: boolean
    /** The heading in the API reference. */
    noun?: string
  }
}
