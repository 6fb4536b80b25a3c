import type { IncomingMessage } from 'node:http'
import { invalid, Refusal } from '#/errors.ts'
import type { BodyRoom } from './body-room.ts'

/** How long a body may take. */
export interface Pace {
  /** In each such time, in milliseconds, … */
  readonly window: number
  /** … so many octets must come, or the end. */
  readonly octets: number
}

/** A body of so many octets needs no room: the connection that brings it takes more. */
export const smallBody = 16 * 1024

export interface Reading {
  readonly raw: IncomingMessage
  /** The key that the request carries. */
  readonly key: string
  /** How large a body may be here. */
  readonly limit: number
}

/** Reads a body into memory as soon as `room` has a place for it, which it has until it leaves. */
export async function readBody({ raw, key, limit }: Reading, room: BodyRoom, pace: Pace): Promise<Buffer> {
  const length = declaredLength(raw)
  if (length !== undefined && length > limit) throw tooLarge(limit)
  const enter = async () => {
    const gone = new AbortController()
    raw.once('close', () => gone.abort())
    if (raw.destroyed) gone.abort()
    // One that does not say how large it is may become as large as it can be.
    if (!(await room.enter(raw, key, length ?? limit, gone.signal))) throw noRoom()
  }
  if (length !== undefined && length > smallBody) await enter()
  // Most bodies came with the head of their request.
  else if (raw.complete && length === raw.readableLength) return raw.read() ?? Buffer.alloc(0)
  try {
    return await collect(raw, { length, limit, enter, pace })
  } catch (error) {
    room.leave(raw)
    throw error
  }
}

/** Undefined where it comes in chunks. */
function declaredLength({ headers }: IncomingMessage): number | undefined {
  const length = headers['content-length']
  return length === undefined ? undefined : Number(length)
}

interface Collecting {
  readonly length: number | undefined
  readonly limit: number
  readonly enter: () => Promise<void>
  readonly pace: Pace
}

/** One buffer, whatever pieces the body comes in: an object for each octet would take two hundred times as much. */
function collect(raw: IncomingMessage, { length, limit, enter, pace }: Collecting): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  let whole: Buffer = Buffer.alloc(0)
  let come = 0
  let comeBefore = 0
  let pacer = setInterval(look, pace.window).unref()

  function look(): void {
    if (come - comeBefore < pace.octets) fail(tooSlow())
    comeBefore = come
  }

  function take(piece: Buffer): void {
    if (come + piece.length > limit) return void fail(tooLarge(limit))
    if (piece.length === length) whole = piece
    else {
      const needed = come + piece.length
      if (needed > whole.length) whole = grown(whole, come, length ?? Math.min(limit, 2 * needed))
      piece.copy(whole, come)
    }
    const wasSmall = come <= smallBody
    come += piece.length
    if (length === undefined && wasSmall && come > smallBody) void waitForRoom()
  }

  async function waitForRoom(): Promise<void> {
    raw.pause()
    clearInterval(pacer)
    try {
      await enter()
      pacer = setInterval(look, pace.window).unref()
      raw.resume()
    } catch (error) {
      fail(error)
    }
  }

  function fail(error: unknown): void {
    stop()
    reject(error)
  }

  function stop(): void {
    clearInterval(pacer)
    raw.off('data', take).off('end', end).off('close', broken)
  }

  const end = () => {
    stop()
    resolve(whole.subarray(0, come))
  }
  const broken = () => fail(invalid('body', 'The body ended early'))
  if (raw.destroyed) broken()
  // An error comes before its close; nobody else listens for it.
  raw
    .on('error', () => {})
    .on('data', take)
    .on('end', end)
    .on('close', broken)
  return promise
}

function grown(from: Buffer, filled: number, size: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(size)
  from.copy(larger, 0, 0, filled)
  return larger
}

const MiB = 1 << 20

function tooLarge(limit: number): Refusal {
  return invalid('body', `The body is larger than ${limit / MiB} MiB, which is the most that is taken here`)
}

function tooSlow(): Refusal {
  return invalid('body', 'The body did not come in time')
}

function noRoom(): Refusal {
  return new Refusal('rate_limited', 'Too many large bodies are on their way at this moment', {
    fix: 'Wait a little, then send it again; send fewer of them at a time',
    retryAfter: 5,
  })
}
