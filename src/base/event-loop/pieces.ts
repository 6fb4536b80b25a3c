import { setImmediate as turn } from 'node:timers/promises'

/** As many bytes as are copied, hashed, stored or sent in one turn of the event loop: 25 MiB in one go hold it for 15 to
 *  60 ms, a MiB for 1 to 5. */
export const pieceBytes = 1 << 20

/** The bytes in pieces of at most `size`, without a copy. */
export function* slices(bytes: Buffer, size = pieceBytes): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

/** The same, each piece in a turn of the event loop of its own. */
export async function* inTurns(bytes: Buffer, size = pieceBytes): AsyncGenerator<Buffer> {
  for (const slice of slices(bytes, size)) {
    await turn()
    yield slice
  }
}

/** One buffer of several. What is more than a piece is copied in turns, into memory that other threads can read as it is. */
export async function joined(buffers: readonly Buffer[]): Promise<Buffer> {
  const length = buffers.reduce((sum, buffer) => sum + buffer.length, 0)
  if (length <= pieceBytes) return Buffer.concat(buffers, length)
  const whole = Buffer.from(new SharedArrayBuffer(length))
  let at = 0
  let sinceTurn = 0
  for (const buffer of buffers) {
    for (const slice of slices(buffer)) {
      at += slice.copy(whole, at)
      sinceTurn += slice.length
      if (sinceTurn < pieceBytes) continue
      sinceTurn = 0
      await turn()
    }
  }
  return whole
}

/** One buffer of pieces that come one after another, `length` bytes in all; in shared memory if there are several. */
export async function collected(pieces: AsyncIterable<Buffer>, length: number): Promise<Buffer> {
  let whole: Buffer | undefined
  let at = 0
  for await (const piece of pieces) {
    if (piece.length === length) return piece
    whole ??= Buffer.from(new SharedArrayBuffer(length))
    at += piece.copy(whole, at)
  }
  return whole ?? Buffer.alloc(0)
}

/** The same bytes: a `Buffer` comes out of another thread as an array. */
export function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}

/** Octets that are kept in pieces, which `read` knows by their numbers from 0; there is none after the last. */
export async function* pieceByPiece(
  read: (number: number) => Promise<{ readonly bytes: Buffer } | undefined>,
): AsyncGenerator<Buffer> {
  for (let number = 0; ; number++) {
    const piece = await read(number)
    if (!piece) return
    yield piece.bytes
  }
}
