import type { KeyObject } from 'node:crypto'
import type { EventOut } from '#/event-stream/schemas.ts'
import { HttpFailed } from '#/public-http/failure.ts'
import type { PublicHttp } from '#/public-http/public-http.ts'
import { type SealingKey, unseal } from '#/secrets/seal.ts'
import { version } from '#/version.ts'
import { signatureHeaders, signingKey } from './signature.ts'

/** A request that was made to a receiver. */
export interface Attempt {
  readonly delivered: boolean
  /** Null where there was no answer. */
  readonly status: number | null
  /** The beginning of the answer's body. */
  readonly answer: string | null
  /** Why it is not delivered, as people read it. */
  readonly error: string | null
  readonly milliseconds: number
}

/** How long a receiver may take, in milliseconds. */
const timeoutMs = 10_000
/** Octets that are read of an answer, so that its connection can be kept, and that are shown of it. */
const mostRead = 16_384
const mostShown = 1_024

/** What is posted. */
interface Notice {
  readonly id: string
  readonly type: string
  readonly timestamp: string
  readonly data: EventOut | object
}

/** Where a webhook posts to. */
export interface Receiver {
  readonly url: string
  /** One, or two while a rotation lasts. */
  readonly keys: readonly KeyObject[]
}

/** What is stored of it. */
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

/** Posts something to a receiver, once. Any 2xx means that it has it. */
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
