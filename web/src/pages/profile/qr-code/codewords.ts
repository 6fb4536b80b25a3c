import { correctionOf } from './correction.ts'

/** Of level L, which a screen needs no more than: the codewords for correction in a block, and the blocks, by version less one. */
const corrections = [7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28]
const blocks = [1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8]

/** All codewords that a code of this version has room for. */
function room(version: number): number {
  const alignments = version < 2 ? 0 : Math.floor(version / 7) + 2
  const ofAlignments = alignments === 0 ? 0 : (25 * alignments - 10) * alignments - 55
  const bits = (16 * version + 128) * version + 64 - ofAlignments - (version < 7 ? 0 : 36)
  return Math.floor(bits / 8)
}

const of = (numbers: readonly number[], version: number) => numbers[version - 1] ?? 0
const roomForData = (version: number) => room(version) - of(corrections, version) * of(blocks, version)

/** The bits of the length of the text. */
const lengthBits = (version: number) => (version < 10 ? 8 : 16)

/** The smallest code for a text, and its codewords in their order. @throws RangeError if the text has too many octets (858) */
export function codewordsOf(text: string): { readonly version: number; readonly codewords: readonly number[] } {
  const octets = [...new TextEncoder().encode(text)]
  const version = blocks.findIndex((_, at) => 4 + lengthBits(at + 1) + 8 * octets.length <= 8 * roomForData(at + 1)) + 1
  if (version === 0) throw new RangeError('The text is too long for a QR code')
  const bits = [
    '0100', // octets
    octets.length.toString(2).padStart(lengthBits(version), '0'),
    ...octets.map((octet) => octet.toString(2).padStart(8, '0')),
    '0000',
  ].join('')
  const whole = bits.slice(0, 8 * roomForData(version))
  const data = (whole.padEnd(8 * Math.ceil(whole.length / 8), '0').match(/.{8}/g) ?? []).map((one) =>
    Number.parseInt(one, 2),
  )
  for (let filler = 0xec; data.length < roomForData(version); filler ^= 0xec ^ 0x11) data.push(filler)
  return { version, codewords: interleaved(data, version) }
}

/** The data in blocks, the last of which may be longer by one, each with its correction; one codeword of each block after the other. */
function interleaved(data: readonly number[], version: number): number[] {
  const count = of(blocks, version)
  const short = Math.floor(data.length / count)
  const shortBlocks = count - (data.length % count)
  const parts = Array.from({ length: count }, (_, at) => {
    const start = at * short + Math.max(0, at - shortBlocks)
    return data.slice(start, start + short + (at < shortBlocks ? 0 : 1))
  })
  const ofParts = parts.map((part) => correctionOf(part, of(corrections, version)))
  return [...columns(parts), ...columns(ofParts)]
}

function columns(rows: readonly (readonly number[])[]): number[] {
  const longest = Math.max(...rows.map(({ length }) => length))
  return Array.from({ length: longest }, (_, at) => rows.flatMap((row) => row[at] ?? [])).flat()
}
