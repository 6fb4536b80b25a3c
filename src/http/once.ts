import type { FastifyReply, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { Db, Tx } from '#/db/schema.ts'
import { invalid, Refusal } from '#/errors.ts'
import { errorBody, statusOf } from './error-body.ts'

/** What a POST answers. */
export interface Answer {
  readonly status: 200 | 201 | 202
  readonly location?: string
  readonly body: unknown
}

export function created(location: string, body: unknown): Answer {
  return { status: 201, location, body }
}

export function ok(body: unknown): Answer {
  return { status: 200, body }
}

/** Idempotency keys whose first request still runs in this process. */
const running = new Set<string>()

/**
 * Runs the work of a POST in one transaction and sends its answer. Where the request carries an Idempotency-Key, the
 * answer is kept for 24 hours in that same transaction, so that a repeat gets it back and no crash can part the two.
 * A refusal is an answer too, and is kept; a 5xx is not (decisions, Conventions).
 */
export async function once(
  db: Db,
  request: FastifyRequest,
  reply: FastifyReply,
  work: (tx: Tx) => Promise<Answer>,
): Promise<void> {
  const key = idempotencyKey(request)
  if (key === undefined) return send(reply, recordOf(await db.transaction().execute(work)))
  const claim = `${request.organizationId}\n${key}`
  if (running.has(claim)) throw stillRunning()
  running.add(claim)
  try {
    const { replayed, ...record } = await runOnce(db, request, key, work)
    if (replayed) reply.header('Idempotency-Replayed', 'true')
    return send(reply, record)
  } finally {
    running.delete(claim)
  }
}

function idempotencyKey(request: FastifyRequest): string | undefined {
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

interface Record {
  status: number
  location: string | null
  body: string
}

function recordOf({ status, location, body }: Answer): Record {
  return { status, location: location ?? null, body: JSON.stringify(body) }
}

function send(reply: FastifyReply, { status, location, body }: Record): void {
  if (location !== null) reply.header('Location', location)
  reply.code(status).type('application/json; charset=utf-8').send(body)
}

async function runOnce(db: Db, request: FastifyRequest, key: string, work: (tx: Tx) => Promise<Answer>) {
  try {
    return await db.transaction().execute(async (tx) => {
      if (!(await lockKey(tx, request.organizationId, key))) throw stillRunning()
      const first = await keptAnswer(tx, request.organizationId, key)
      if (first) return replay(first, request)
      const record = recordOf(await work(tx))
      await keepAnswer(tx, request, key, record)
      return { replayed: false, ...record }
    })
  } catch (error) {
    if (error instanceof Refusal && error.code !== 'conflict' && statusOf(error) < 500)
      await keepRefusal(db, request, key, error)
    throw error
  }
}

/** Thrown by `replay`, whose answer must not be kept again. */
class KeyReused extends Refusal {}

function replay(first: Record & { request_hash: Buffer }, request: FastifyRequest) {
  const { request_hash, ...record } = first
  if (request.fingerprint?.equals(request_hash)) return { replayed: true, ...record }
  throw new KeyReused('invalid_request', 'This Idempotency-Key was used with another request', {
    field: 'Idempotency-Key',
    fix: 'Use a new key for each new request',
  })
}

async function keepRefusal(db: Db, request: FastifyRequest, key: string, refusal: Refusal): Promise<void> {
  if (refusal instanceof KeyReused) return
  const record = { status: statusOf(refusal), location: null, body: JSON.stringify(errorBody(refusal, request.id)) }
  await keepAnswer(db, request, key, record)
}

function stillRunning(): Refusal {
  return new Refusal('conflict', 'The first request with this Idempotency-Key is still running', {
    field: 'Idempotency-Key',
    fix: 'Wait a moment and send it again',
  })
}

async function lockKey(tx: Tx, organizationId: string, key: string): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${`${organizationId} ${key}`}, 0)) as locked`.execute(tx)
  return rows[0]?.locked === true
}

function keptAnswer(tx: Tx, organizationId: string, key: string) {
  return tx
    .selectFrom('idempotency_keys')
    .select(['request_hash', 'status', 'location', 'body'])
    .where('organization_id', '=', organizationId)
    .where('key', '=', key)
    .where('created_at', '>', sql<Date>`now() - interval '24 hours'`)
    .executeTakeFirst()
}

async function keepAnswer(db: Db, request: FastifyRequest, key: string, record: Record): Promise<void> {
  const request_hash = request.fingerprint ?? Buffer.alloc(0)
  await db
    .insertInto('idempotency_keys')
    .values({ organization_id: request.organizationId, key, request_hash, ...record })
    .onConflict((conflict) =>
      conflict
        .columns(['organization_id', 'key'])
        .doUpdateSet({ request_hash, ...record, created_at: sql<Date>`now()` }),
    )
    .execute()
}

/** Drops the answers that are no longer given again. */
export async function forgetAnswers(db: Db): Promise<void> {
  await db.deleteFrom('idempotency_keys').where('created_at', '<=', sql<Date>`now() - interval '24 hours'`).execute()
}
