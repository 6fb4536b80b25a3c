import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Db, Tx } from '#/base/db/schema.ts'
import { isUnavailable } from '#/base/db/unavailable.ts'
import { idempotencyKey, KeyReused, replay, sealAnswer, stillRunning, unsealFor } from './idempotency-key.ts'
import { type KeyRef, keepAnswer, keepRefusal, keyInUse, lockKey } from './kept-answers.ts'
import { type Answer, refusalToKeep, type Serialized, send, sendAgain, serialized } from './serialized-answer.ts'

export type { Answer } from './serialized-answer.ts'

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
 * that is shown once, to the key or member that asked. For work that is not one transaction there is `answerClaimed`.
 */
export async function answerOnce(
  db: Db,
  request: FastifyRequest,
  reply: FastifyReply,
  work: (tx: Tx) => Promise<Answer>,
): Promise<void> {
  const at = idempotencyKey(request)
  if (at === undefined) return send(reply, serialized(await db.transaction().execute(work)))
  const name = `${at.organizationId}\n${at.key}`
  if (running.has(name)) throw stillRunning()
  running.add(name)
  try {
    const { replayed, answer } = await runOnce(db, request, at, work)
    if (replayed) await sendAgain(reply, answer)
    else send(reply, answer)
  } finally {
    running.delete(name)
  }
}

async function runOnce(db: Db, request: FastifyRequest, at: KeyRef, work: (tx: Tx) => Promise<Answer>) {
  try {
    return await db.transaction().execute(async (tx): Promise<{ replayed: boolean; answer: Serialized }> => {
      if (!(await lockKey(tx, at))) throw stillRunning()
      const first = await keyInUse(tx, at)
      if (first?.state === 'answered') return { replayed: true, answer: replay(request, at, first.answer) }
      if (first) unsealFor(request, at, first.answer)
      if (first?.state === 'running') throw stillRunning()
      const answer = serialized(await work(tx))
      await keepAnswer(tx, at, sealAnswer(request, at, answer))
      return { replayed: false, answer }
    })
  } catch (error) {
    const answer = error instanceof KeyReused ? undefined : refusalToKeep(error, request)
    if (answer) await keepRefusal(db, at, sealAnswer(request, at, answer))
    throw error
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
    // The answer does not wait for the database a second time.
    if (reply.sent || isUnavailable(error) || !(await replayed(db, request, reply))) throw error
  }
}

async function replayed(db: Db, request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
  const at = idempotencyKey(request)
  if (at === undefined) return false
  const first = await keyInUse(db, at)
  if (first?.state !== 'answered') return false
  await sendAgain(reply, replay(request, at, first.answer))
  return true
}

/** Sends the answer of a POST that has found its work done already. */
export function sendAnswer(reply: FastifyReply, answer: Answer): void {
  send(reply, serialized(answer))
}
