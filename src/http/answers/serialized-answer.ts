import type { FastifyReply, FastifyRequest } from 'fastify'
import { refusalFor } from './answer-errors.ts'
import { type Bounded, whole } from './bounded-answers.ts'
import { errorBody, statusOf } from './error-body.ts'

export interface Answer {
  readonly status: 200 | 201 | 202
  readonly location?: string
  readonly body: object
  /** A field of the body that only the caller may see. */
  readonly secret?: string
  /** The fields that others than the caller may see; undefined for all. */
  readonly shared?: readonly string[]
}

export interface Serialized extends Bounded {
  readonly status: number
  readonly location: string | null
  readonly secret?: string | undefined
  readonly shared?: readonly string[] | undefined
}

export function serialized({ status, location, body, secret, shared }: Answer): Serialized {
  return { status, location: location ?? null, body: JSON.stringify(body), secret, shared }
}

/** The refusal that an error is answered with, if it is an answer to keep: neither a 5xx is one nor a conflict, which passes. */
export function refusalToKeep(error: unknown, request: FastifyRequest): Serialized | undefined {
  const refusal = refusalFor(error, request)
  const status = statusOf(refusal)
  if (status >= 500 || refusal.code === 'conflict') return undefined
  return { status, location: null, body: JSON.stringify(errorBody(refusal, request.id)) }
}

export function send(reply: FastifyReply, { status, location, body }: Serialized): void {
  if (location !== null) reply.header('Location', location)
  reply.code(status).type('application/json; charset=utf-8').send(body)
}

export async function sendAgain(reply: FastifyReply, answer: Serialized): Promise<void> {
  const body = await whole(reply, answer)
  reply.header('Idempotency-Replayed', 'true')
  send(reply, { ...answer, body })
}
