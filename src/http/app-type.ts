import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, RawServerDefault } from 'fastify'
import type { Logger } from 'pino'
import type { ErrorCode } from '#/errors.ts'
import type { SealingKey } from '#/seal.ts'
import type { Scope } from './scopes.ts'

/** The server that each noun adds its routes to. */
export type App = FastifyInstance<RawServerDefault, IncomingMessage, ServerResponse, Logger, TypeBoxTypeProvider>

declare module 'fastify' {
  interface FastifyInstance {
    /** Seals the answers that are kept for a repeated Idempotency-Key. */
    answersKey: SealingKey
  }
  interface FastifyRequest {
    /** Whose key the request carries: every query is made for this organization. */
    organizationId: string
    keyId: string
    /** SHA-256 of method, path and body bytes; only where an Idempotency-Key came. */
    fingerprint: Buffer | null
  }
  interface FastifyContextConfig {
    /** The scope that the key needs; of several, any one. Every route under /v1 but the description has it. */
    scope?: Scope | readonly Scope[]
    /** Codes that this route can answer beyond those that follow from its shape. */
    errors?: readonly ErrorCode[]
    /** Answers without a key, although under /v1. */
    open?: boolean
    /** The heading that the route stands under in the reference. */
    noun?: string
  }
}
