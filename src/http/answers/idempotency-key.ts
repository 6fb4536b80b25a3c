import type { FastifyRequest } from 'fastify'
import { invalid, Refusal } from '#/base/errors.ts'
import { seal, unseal } from '#/base/secrets/seal.ts'
import { bounded } from './bounded-answers.ts'
import type { KeyRef } from './kept-answers.ts'
import type { Serialized } from './serialized-answer.ts'

/** A restricted API key and a member have Idempotency-Keys of their own: those of others would reveal what they may not
 *  see, and the others would get their refusals. So has whoever changes something by another method than POST, whose answer shows what
 *  the scopes of the caller allow. No name that is given has a line feed. */
export function idempotencyKey(request: FastifyRequest): KeyRef | undefined {
  const { caller, actorId, organizationId } = request
  const given = givenKey(request)
  if (given === undefined) return undefined
  const isShared = caller.isOrganization && request.method === 'POST'
  return { organizationId, key: isShared ? given : `${actorId}\n${given}` }
}

function givenKey(request: FastifyRequest): string | undefined {
  const key = request.headers['idempotency-key']
  if (key === undefined) return undefined
  if (
    typeof key === 'string' &&
    /^[\x20-\x7e]{1,255}$/.test(key) &&
    request.raw.headersDistinct['idempotency-key']?.length === 1
  )
    return key
  throw invalid('Idempotency-Key', 'Idempotency-Key must be given once, as 1 to 255 printable ASCII characters')
}

/** What is kept under a key: the request, with its answer, or with how far it has come. The request's fingerprint is sealed too: by
 *  itself it would let a weak password in the body be guessed. */
type Sealed = { readonly fingerprint: string; readonly keyId: string } & (Serialized | Begun)

interface Begun {
  readonly status?: undefined
  readonly progress?: object | undefined
}

export function sealAnswer(request: FastifyRequest, at: KeyRef, answer: Serialized): Buffer {
  return sealFields(request, at, { ...answer, ...bounded(answer.body, request) })
}

export function sealProgress(request: FastifyRequest, at: KeyRef, progress: object | undefined): Buffer {
  return sealFields(request, at, { progress })
}

function sealFields(request: FastifyRequest, at: KeyRef, fields: Serialized | Begun): Buffer {
  const plain: Sealed = { fingerprint: fingerprintOf(request), keyId: request.actorId, ...fields }
  return seal(request.server.answersKey, placeOf(at), JSON.stringify(plain))
}

/** Thrown by `unsealFor`; it must not replace the first answer. */
export class KeyReused extends Refusal {}

/** @throws KeyReused if it is of another request */
export function unsealFor(request: FastifyRequest, at: KeyRef, sealed: Buffer): Sealed {
  const kept: Sealed = JSON.parse(unseal(request.server.answersKey, placeOf(at), sealed).toString())
  if (kept.fingerprint === fingerprintOf(request)) return kept
  throw new KeyReused('invalid_request', 'This Idempotency-Key was used with another request', {
    field: 'Idempotency-Key',
    fix: 'Use a new key for each new request',
  })
}

/** How far the request has come that was not answered. */
export function progressIn(request: FastifyRequest, at: KeyRef, sealed: Buffer): object | undefined {
  const kept = unsealFor(request, at, sealed)
  return kept.status === undefined ? kept.progress : undefined
}

/** The first answer for a repetition: an error gets the new request id, and only the first caller sees the secret. */
export function replay(request: FastifyRequest, at: KeyRef, sealed: Buffer): Serialized {
  const kept = unsealFor(request, at, sealed)
  if (kept.status === undefined) throw new Error('An answered request has an answer')
  return { ...kept, body: bodyAgain(kept, request, kept.keyId) }
}

function bodyAgain({ status, body, secret, shared }: Serialized, { id, actorId }: FastifyRequest, firstId: string) {
  if (status >= 400) {
    const { error } = JSON.parse(body)
    return JSON.stringify({ error: { ...error, request_id: id } })
  }
  if (actorId === firstId || (secret === undefined && shared === undefined)) return body
  const fields = Object.entries(JSON.parse(body)).filter(
    ([name]) => name !== secret && shared?.includes(name) !== false,
  )
  return JSON.stringify(Object.fromEntries(fields))
}

function placeOf({ organizationId, key }: KeyRef): string {
  return `${organizationId} ${key}`
}

/** A request without a body is identified by its path. */
function fingerprintOf({ fingerprint, method, url }: FastifyRequest): string {
  return fingerprint?.toString('hex') ?? `${method} ${url}`
}

export function stillRunning(): Refusal {
  return new Refusal('conflict', 'The first request with this Idempotency-Key is still running', {
    field: 'Idempotency-Key',
    fix: 'Wait a moment and send it again',
  })
}
