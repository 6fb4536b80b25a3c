import type { IncomingMessage } from 'node:http'
import { invalid, type Refusal } from '#/base/errors.ts'
import type { Holder } from '#/base/event-loop/fair-share.ts'
import { lacking } from '../rate/budgets.ts'
import type { BodyMemory } from './body-memory.ts'

/** The minimum transfer rate. */
export interface Pace {
  /** In each window of so many milliseconds … */
  readonly window: number
  /** … so many octets must be received, or the end. */
  readonly octets: number
}

/** A body of so many octets needs no allocation: its connection takes more memory. */
export const smallBody = 16 * 1024

export interface Reading {
  readonly raw: IncomingMessage
  /** Whose the request is. */
  readonly holder: Holder
  /** The maximum size of the body. */
  readonly limit: number
}

/** Reads a body into memory once `room` has allocated it. */
export async function readBody({ raw, holder, limit }: Reading, room: BodyMemory, pace: Pace): Promise<Buffer> {
  const length = declaredLength(raw)
  if (length !== undefined && length > limit) throw tooLarge(limit)
  const enter = async () => {
    const gone = new AbortController()
    raw.once('close', () => gone.abort())
    if (raw.destroyed) gone.abort()
    // A body without a declared length may reach the limit.
    if (!(await room.enter(raw, holder, length ?? limit, gone.signal))) throw noRoom()
  }
  if (length !== undefined && length > smallBody) await enter()
  // Most bodies arrive with the headers.
  else if (raw.complete && length === raw.readableLength) return raw.read() ?? Buffer.alloc(0)
  try {
    return await collect(raw, { length, limit, enter, pace })
  } catch (error) {
    room.release(raw)
    throw error
  }
}

/** Undefined with chunked encoding. */
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

/** Collects chunks in one buffer: an object for each of many tiny chunks would take two hundred times the memory. */
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
  const broken = () => fail(invalid('body', 'The request body is incomplete: the connection was closed'))
  if (raw.destroyed) broken()
  // An error precedes 'close', which is handled.
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
  return invalid('body', `The body is larger than ${limit / MiB} MiB, the limit for this request`)
}

function tooSlow(): Refusal {
  return invalid('body', 'The request body timed out')
}

function noRoom(): Refusal {
  return lacking('Too many large request bodies at this moment')
}
