import type { KeyObject } from 'node:crypto'
import { type SealingKey, unseal } from '#/base/secrets/seal.ts'
import { version } from '#/base/version.ts'
import type { EventOut } from '#/events/event-stream/schemas.ts'
import { HttpFailed } from '#/http/public-http/failure.ts'
import type { PublicHttp } from '#/http/public-http/public-http.ts'
import { signatureHeaders, signingKey } from './signature.ts'

/** A request to a receiver. */
export interface Attempt {
  readonly delivered: boolean
  /** Null without a response. */
  readonly status: number | null
  /** The beginning of the response's body. */
  readonly answer: string | null
  /** Why it is not delivered, for people. */
  readonly error: string | null
  readonly milliseconds: number
}

/** How long a receiver may take, in milliseconds. */
const timeoutMs = 10_000
/** Octets of a response that are read, so that its connection can be reused, and that are shown. */
const mostRead = 16_384
const mostShown = 1_024

/** The body of the request. */
interface Notice {
  readonly id: string
  readonly type: string
  readonly timestamp: string
  readonly data: EventOut | object
}

/** The receiver of a webhook. */
export interface Receiver {
  readonly url: string
  /** One key, or two during a rotation. */
  readonly keys: readonly KeyObject[]
}

/** The stored part of the result. */
export interface StoredReceiver {
  readonly id: string
  readonly url: string
  readonly secret: Buffer
  readonly previousSecret: Buffer | null
  readonly previousUntil: Date | null
}

export function receiverOf(
  secretKey: SealingKey,
  { id, url, secret, previousSecret, previousUntil }: StoredReceiver,
  now: Date,
): Receiver {
  const previous = previousUntil && previousUntil > now ? previousSecret : null
  const sealed = [secret, previous].flatMap((one) => one ?? [])
  return { url, keys: sealed.map((one) => signingKey(unseal(secretKey, id, one).toString())) }
}

/** Posts once to a receiver. Any 2xx means that it has accepted the event. */
export async function attempt(
  http: PublicHttp,
  { url, keys }: Receiver,
  { id, ...content }: Notice,
  now: Date,
  signal?: AbortSignal,
): Promise<Attempt> {
  const body = JSON.stringify(content)
  const timestamp = Math.floor(now.getTime() / 1_000)
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    'User-Agent': `Mailroom/${version}`,
    ...signatureHeaders(keys, { id, timestamp, body }),
  }
  const since = performance.now()
  const took = () => Math.round(performance.now() - since)
  const question = { method: 'POST', headers, body: Buffer.from(body), mostBytes: mostRead, timeoutMs } as const
  try {
    const { status, body: answered } = await http.send(new URL(url), { ...question, ...(signal && { signal }) })
    const delivered = status >= 200 && status < 300
    const answer = answered.subarray(0, mostShown).toString().replaceAll('\0', '')
    return { delivered, status, answer, error: delivered ? null : `It answered ${status}`, milliseconds: took() }
  } catch (error) {
    if (!(error instanceof HttpFailed)) throw error
    return { delivered: false, status: null, answer: null, error: error.message, milliseconds: took() }
  }
}
