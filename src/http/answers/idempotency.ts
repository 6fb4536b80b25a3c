import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Db, Tx } from '#/db/schema.ts'
import { invalid, Refusal } from '#/errors.ts'
import { seal, unseal } from '#/secrets/seal.ts'
import { refusalFor } from './answer-errors.ts'
import { type Bounded, bounded, whole } from './bounded-answers.ts'
import { errorBody, statusOf } from './error-body.ts'
import { keepAnswer, keepRefusal, keptAnswer, lockKey } from './kept-answers.ts'

export interface Answer {
  readonly status: 200 | 201 | 202
  readonly location?: string
  readonly body: object
  /** A field of the body that only the caller may see. */
  readonly secret?: string
  /** The fields that others than the caller may see; undefined for all. */
  readonly shared?: readonly string[]
}

export function created(location: string, body: object, secret?: string): Answer {
  return { status: 201, location, body, ...(secret !== undefined && { secret }) }
}

export function ok(body: object, shared?: readonly string[]): Answer {
  return { status: 200, body, ...(shared && { shared }) }
}

/** Idempotency keys whose first request is running in this process. */
const running = new Set<string>()

/**
 * Runs the work of a POST in one transaction and sends its answer. If the request has an Idempotency-Key, the same
 * transaction stores the answer for 24 hours: a repetition gets it, and a crash leaves both or neither.
 * A refusal is an answer too, and is kept; a 5xx is not (docs/reference/http.md). Answers are kept sealed, since some hold a secret
 * that is shown once, to the key or member that asked.
 */
export async function answerOnce(
  db: Db,
  request: FastifyRequest,
  reply: FastifyReply,
  work: (tx: Tx) => Promise<Answer>,
): Promise<void> {
  const key = idempotencyKey(request)
  if (key === undefined) return send(reply, answerOf(await db.transaction().execute(work)))
  const claim = `${request.organizationId}\n${key}`
  if (running.has(claim)) throw stillRunning()
  running.add(claim)
  try {
    const { replayed, answer } = await runOnce(db, request, key, work)
    if (replayed) await sendAgain(reply, answer)
    else send(reply, answer)
  } finally {
    running.delete(claim)
  }
}

/** Like `answerOnce`, for work that waits for another server, so that no transaction may be open. The work may run twice. It
 *  does not run if the answer is stored already. */
export async function answerAfter(
  db: Db,
  request: FastifyRequest,
  reply: FastifyReply,
  work: () => Promise<Answer>,
): Promise<void> {
  const key = idempotencyKey(request)
  const isKnown = key !== undefined && (await keptAnswer(db, request.organizationId, key)) !== undefined
  const [done] = isKnown ? [] : await Promise.allSettled([work()])
  await answerOnce(db, request, reply, async () => {
    // It has expired since.
    if (!done) throw stillRunning()
    if (done.status === 'rejected') throw done.reason
    return done.value
  })
}

/** Runs a change that answers with what it returns, as `answerAfter` does. In this process it does not run beside its repetition. */
export async function answerChange(
  db: Db,
  request: FastifyRequest,
  reply: FastifyReply,
  change: () => Promise<unknown>,
): Promise<void> {
  const claim = `${request.organizationId}\n${idempotencyKey(request)}\nchange`
  if (running.has(claim)) throw stillRunning()
  running.add(claim)
  try {
    await answerAfter(db, request, reply, async () => {
      const body = await change()
      if (typeof body !== 'object' || body === null) throw new Error('A change returns what it answers')
      return ok(body)
    })
  } finally {
    running.delete(claim)
  }
}

/** Runs the work of a POST that must not run twice, unless its answer is stored: then it sends that, also if another request
 *  with this Idempotency-Key was answered meanwhile. `work` answers through `answerOnce`. */
export async function unlessReplayed(
  db: Db,
  request: FastifyRequest,
  reply: FastifyReply,
  work: () => Promise<void>,
): Promise<void> {
  if (await replayed(db, request, reply)) return
  try {
    await work()
  } catch (error) {
    if (reply.sent || !(await replayed(db, request, reply))) throw error
  }
}

async function replayed(db: Db, request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
  const key = idempotencyKey(request)
  const first = key === undefined ? undefined : await keptAnswer(db, request.organizationId, key)
  if (key === undefined || !first) return false
  await sendAgain(reply, replay(first, request, key))
  return true
}

/** A restricted API key and a member have Idempotency-Keys of their own: those of others would reveal what they may not
 *  see, and the others would get their refusals. So has whoever changes something by another method than POST, whose answer shows what
 *  the scopes of the caller allow. No name that is given has a line feed. */
function idempotencyKey(request: FastifyRequest): string | undefined {
  const { caller, actorId } = request
  const key = givenKey(request)
  if (key === undefined || (caller.isOrganization && request.method === 'POST')) return key
  return `${actorId}\n${key}`
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

/** A serialized answer. */
interface Kept extends Bounded {
  readonly status: number
  readonly location: string | null
  readonly secret?: string | undefined
  readonly shared?: readonly string[] | undefined
}

function answerOf({ status, location, body, secret, shared }: Answer): Kept {
  return { status, location: location ?? null, body: JSON.stringify(body), secret, shared }
}

/** Sends the answer of a POST that has found its work done already. */
export function sendAnswer(reply: FastifyReply, answer: Answer): void {
  send(reply, answerOf(answer))
}

function send(reply: FastifyReply, { status, location, body }: Kept): void {
  if (location !== null) reply.header('Location', location)
  reply.code(status).type('application/json; charset=utf-8').send(body)
}

async function sendAgain(reply: FastifyReply, answer: Kept): Promise<void> {
  const body = await whole(reply, answer)
  reply.header('Idempotency-Replayed', 'true')
  send(reply, { ...answer, body })
}

async function runOnce(db: Db, request: FastifyRequest, key: string, work: (tx: Tx) => Promise<Answer>) {
  try {
    return await db.transaction().execute(async (tx) => {
      if (!(await lockKey(tx, request.organizationId, key))) throw stillRunning()
      const first = await keptAnswer(tx, request.organizationId, key)
      if (first) return { replayed: true, answer: replay(first, request, key) }
      const answer = answerOf(await work(tx))
      await keepAnswer(tx, request.organizationId, key, sealed(request, key, answer))
      return { replayed: false, answer }
    })
  } catch (error) {
    const refusal = refusalFor(error, request)
    if (statusOf(refusal) < 500 && refusal.code !== 'conflict' && !(error instanceof KeyReused)) {
      const body = JSON.stringify(errorBody(refusal, request.id))
      const answer = sealed(request, key, { status: statusOf(refusal), location: null, body })
      await keepRefusal(db, request.organizationId, key, answer)
    }
    throw error
  }
}

/** Thrown by `replay`; it must not replace the first answer. */
class KeyReused extends Refusal {}

function replay(sealed: Buffer, request: FastifyRequest, key: string): Kept {
  const plain = unseal(request.server.answersKey, placeOf(request, key), sealed).toString()
  const { fingerprint, keyId, ...answer } = JSON.parse(plain) as Kept & { fingerprint: string; keyId: string }
  if (fingerprint === fingerprintOf(request)) return { ...answer, body: bodyAgain(answer, request, keyId) }
  throw new KeyReused('invalid_request', 'This Idempotency-Key was used with another request', {
    field: 'Idempotency-Key',
    fix: 'Use a new key for each new request',
  })
}

/** The first answer for a repetition: an error gets the new request id, and only the first caller sees the secret. */
function bodyAgain({ status, body, secret, shared }: Kept, { id, actorId }: FastifyRequest, firstId: string): string {
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

function placeOf({ organizationId }: FastifyRequest, key: string): string {
  return `${organizationId} ${key}`
}

/** A request without a body is identified by its path. */
function fingerprintOf({ fingerprint, method, url }: FastifyRequest): string {
  return fingerprint?.toString('hex') ?? `${method} ${url}`
}

function stillRunning(): Refusal {
  return new Refusal('conflict', 'The first request with this Idempotency-Key is still running', {
    field: 'Idempotency-Key',
    fix: 'Wait a moment and send it again',
  })
}

/** The request's fingerprint is sealed with the answer: by itself it would let a weak password in the body be guessed. */
function sealed(request: FastifyRequest, key: string, kept: Kept): Buffer {
  const fields = {
    fingerprint: fingerprintOf(request),
    keyId: request.actorId,
    ...kept,
    ...bounded(kept.body, request),
  }
  const plain = JSON.stringify(fields)
  return seal(request.server.answersKey, placeOf(request, key), plain)
}
