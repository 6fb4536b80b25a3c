import { DeliveryFailure } from '../delivery-failure.ts'

const CR = 0x0d
const LF = 0x0a
const DOT = 0x2e
const period = Buffer.from('.')
const lineEnd = Buffer.from('\r\n')

/**
 * The message with dot-stuffing (RFC 5321, section 4.5.2) and a final line end, but without the end of data. Throws
 * `DeliveryFailure` before it passes on a bare CR or LF: some server could take it for a line end, and so for the end of
 * data.
 */
export async function* stuffed(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  let [before, last] = [CR, LF]
  for await (const chunk of content) {
    if (chunk.length === 0) continue
    assertWhole(chunk, last)
    yield stuff(chunk, before === CR && last === LF)
    before = chunk.length > 1 ? (chunk.at(-2) ?? 0) : last
    last = chunk.at(-1) ?? 0
  }
  if (last === CR) throw bare()
  if (last !== LF) yield lineEnd
}

function stuff(chunk: Buffer, atLineStart: boolean): Buffer {
  const pieces: Buffer[] = []
  let from = 0
  if (atLineStart && chunk[0] === DOT) pieces.push(period)
  for (let at = chunk.indexOf('\n.'); at >= 0; at = chunk.indexOf('\n.', at + 1)) {
    pieces.push(chunk.subarray(from, at + 1), period)
    from = at + 1
  }
  if (pieces.length === 0) return chunk
  pieces.push(chunk.subarray(from))
  return Buffer.concat(pieces)
}

/** Every CR is followed by an LF and every LF follows a CR, `last` being the octet before the chunk. */
function assertWhole(chunk: Buffer, last: number): void {
  if ((last === CR) !== (chunk[0] === LF)) throw bare()
  if (/\r[^\n]|(?<!^|\r)\n/.test(chunk.toString('latin1'))) throw bare()
}

function bare(): DeliveryFailure {
  return new DeliveryFailure('5.6.0', 'The message contains a bare CR or LF')
}
