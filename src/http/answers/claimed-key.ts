import { randomUUID } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Db, Tx } from '#/base/db/schema.ts'
import { isUnavailable } from '#/base/db/unavailable.ts'
import { ok } from './idempotency.ts'
import { idempotencyKey, progressIn, replay, sealAnswer, sealProgress, stillRunning } from './idempotency-key.ts'
import {
  type Claimed,
  claimKey,
  claimSeconds,
  dropClaim,
  extendClaim,
  type KeyInUse,
  type KeyRef,
  keyInUse,
  releaseClaim,
  writeClaimed,
} from './kept-answers.ts'
import { type Answer, refusalToKeep, type Serialized, send, sendAgain, serialized } from './serialized-answer.ts'

/** The claim of a request whose work runs. */
interface Running extends Claimed {
  progress: object | undefined
  /** Stored with the work. */
  answer: Serialized | undefined
}

const claims = new WeakMap<FastifyRequest, Running>()

/**
 * Runs work that is not one transaction and sends its answer. If the request has an Idempotency-Key, it claims that first: a
 * repetition, in any process, is told that the first still runs, and goes on once the process of the first has died. So that it knows what
 * was done, work stores its answer in the transaction of its only change (`changeOnce`, `answerIn`), or what it has done in that of each
 * (`noteProgress`), and begins with what is known (`progressOf`).
 */
export async function answerClaimed(
  db: Db,
  request: FastifyRequest,
  reply: FastifyReply,
  work: () => Promise<Answer>,
): Promise<void> {
  const at = idempotencyKey(request)
  if (at === undefined) return send(reply, serialized(await work()))
  const begun = await claimOrAnswer(db, request, at)
  if ('status' in begun) return sendAgain(reply, begun)
  claims.set(request, begun)
  const extending = setInterval(() => {
    extendClaim(db, begun).catch((err: unknown) => request.log.error({ err }, 'a claim could not be extended'))
  }, claimSeconds * 250)
  try {
    const answer = serialized(await work())
    if (!begun.answer) await write(db, request, begun, { answer })
    send(reply, answer)
  } catch (error) {
    const givenUp = giveUp(db, request, begun, error)
    // The answer does not wait for the database a second time.
    if (!isUnavailable(error)) await givenUp
    throw error
  } finally {
    clearInterval(extending)
  }
}

/** The first answer, if there is one. @throws Refusal if the first request still runs, or was another */
async function claimOrAnswer(db: Db, request: FastifyRequest, at: KeyRef): Promise<Running | Serialized> {
  const begun: Running = { ...at, claim: randomUUID(), progress: undefined, answer: undefined }
  if (await claimKey(db, at, { answer: sealProgress(request, at, undefined), claim: begun.claim })) return begun
  const first = await keyInUse(db, at)
  if (!first) throw stillRunning()
  if (first.state === 'answered') return replay(request, at, first.answer)
  const progress = progressIn(request, at, first.answer)
  if (!(await isTakenOver(db, begun, first))) throw stillRunning()
  return { ...begun, progress }
}

async function isTakenOver(db: Db, { claim, ...at }: Running, { answer, claim: left, state }: KeyInUse) {
  return state === 'left' && (await claimKey(db, at, { answer, claim, left }))
}

/** Keeps a refusal. After any other error the request can be repeated at once, and goes on with what was done. */
async function giveUp(db: Db, request: FastifyRequest, begun: Running, error: unknown): Promise<void> {
  const answer = refusalToKeep(error, request)
  const sealed = answer && sealAnswer(request, begun, answer)
  try {
    if (sealed) await writeClaimed(db, begun, { answer: sealed, isAnswered: true })
    else if (begun.progress) await releaseClaim(db, begun)
    else await dropClaim(db, begun)
  } catch (err) {
    request.log.error({ err }, 'a claim could not be released, and ends by itself')
  }
}

/** Runs a change that is one transaction, and stores what it answers in it; nothing if it answers nothing. */
export async function changeOnce<Body extends object | undefined>(
  db: Db,
  request: FastifyRequest,
  change: (tx: Tx) => Promise<Body>,
): Promise<Body> {
  return await db.transaction().execute(async (tx) => {
    const body = await change(tx)
    if (body) await answerIn(tx, request, ok(body))
    return body
  })
}

/** Stores the answer of a request in the transaction of its change. @throws Refusal if another process goes on with the request */
export async function answerIn(tx: Tx, request: FastifyRequest, answer: Answer): Promise<void> {
  const claim = claims.get(request)
  if (claim) await write(tx, request, claim, { answer: serialized(answer) })
}

/** What the request had done when its process died. */
export function progressOf<Progress extends object>(request: FastifyRequest): Progress | undefined {
  return claims.get(request)?.progress as Progress | undefined
}

/** Stores what a request is about to do, or, in the transaction that does it, what it has done: all that is needed to go on with it.
 *  @throws Refusal if another process goes on with the request */
export async function noteProgress(db: Db, request: FastifyRequest, progress: object): Promise<void> {
  const claim = claims.get(request)
  if (!claim) return
  claim.progress = progress
  if (!(await writeClaimed(db, claim, { answer: sealProgress(request, claim, progress), isAnswered: false })))
    throw stillRunning()
}

async function write(db: Db, request: FastifyRequest, claim: Running, { answer }: { readonly answer: Serialized }) {
  if (!(await writeClaimed(db, claim, { answer: sealAnswer(request, claim, answer), isAnswered: true })))
    throw stillRunning()
  claim.answer = answer
}
