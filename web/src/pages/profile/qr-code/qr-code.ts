import { codewordsOf } from './codewords.ts'

/** Rows of modules, true where dark. */
export type Modules = readonly (readonly boolean[])[]

/** Which modules of data are inverted, by row and column. */
const masks: readonly ((row: number, column: number) => boolean)[] = [
  (row, column) => (row + column) % 2 === 0,
  (row) => row % 2 === 0,
  (_, column) => column % 3 === 0,
  (row, column) => (row + column) % 3 === 0,
  (row, column) => (Math.floor(row / 2) + Math.floor(column / 3)) % 2 === 0,
  (row, column) => ((row * column) % 2) + ((row * column) % 3) === 0,
  (row, column) => (((row * column) % 2) + ((row * column) % 3)) % 2 === 0,
  (row, column) => (((row + column) % 2) + ((row * column) % 3)) % 2 === 0,
]

/** The QR code of a text (ISO/IEC 18004). @throws RangeError if it is too long */
export function qrCode(text: string): Modules {
  const { version, codewords } = codewordsOf(text)
  const candidates = masks.map((_, mask) => drawn(version, codewords, mask))
  const marked = candidates.map((modules) => ({ modules, marks: penalty(modules) }))
  return marked.reduce((best, one) => (one.marks < best.marks ? one : best)).modules
}

function drawn(version: number, codewords: readonly number[], mask: number): boolean[][] {
  const size = 17 + 4 * version
  const modules: boolean[][] = Array.from({ length: size }, () => Array.from({ length: size }, () => false))
  const taken = modules.map((row) => [...row])
  const set = (row: number, column: number, isDark: boolean) => {
    const [line, places] = [modules[row], taken[row]]
    if (!line || !places || column < 0 || column >= size) return
    line[column] = isDark
    places[column] = true
  }
  for (let at = 0; at < size; at++) {
    set(6, at, at % 2 === 0)
    set(at, 6, at % 2 === 0)
  }
  for (const [row, column] of [
    [3, 3],
    [3, size - 4],
    [size - 4, 3],
  ] as const)
    square(4, (y, x, ring) => set(row + y, column + x, ring !== 2 && ring !== 4))
  const places = alignments(version)
  for (const row of places)
    for (const column of places) {
      const isFinder = (row === 6 && (column === 6 || column === size - 7)) || (row === size - 7 && column === 6)
      if (!isFinder) square(2, (y, x, ring) => set(row + y, column + x, ring !== 1))
    }
  drawFormat(size, mask, set)
  if (version >= 7) drawVersion(size, version, set)
  const invert = masks[mask]
  let bit = 0
  for (const [row, column] of zigzag(size)) {
    if (taken[row]?.[column]) continue
    const isSet = ((codewords[bit >> 3] ?? 0) >> (7 - (bit & 7))) & 1
    bit++
    const line = modules[row]
    if (line) line[column] = (isSet === 1) !== (invert?.(row, column) ?? false)
  }
  return modules
}

/** Calls it for each place of a square around (0, 0), with the distance from there. */
function square(reach: number, draw: (y: number, x: number, ring: number) => void): void {
  for (let y = -reach; y <= reach; y++)
    for (let x = -reach; x <= reach; x++) draw(y, x, Math.max(Math.abs(y), Math.abs(x)))
}

/** The rows and columns of the centres of alignment patterns. */
function alignments(version: number): number[] {
  if (version === 1) return []
  const count = Math.floor(version / 7) + 2
  const step = Math.ceil((4 * version + 4) / (2 * count - 2)) * 2
  return [6, ...Array.from({ length: count - 1 }, (_, at) => 4 * version + 10 - at * step).toReversed()]
}

type Set = (row: number, column: number, isDark: boolean) => void

/** Level and mask, twice, with their own correction. */
function drawFormat(size: number, mask: number, set: Set): void {
  const data = (1 << 3) | mask
  const bits = ((data << 10) | remainder(data, 10, 0x537)) ^ 0x5412
  const isDark = (at: number) => ((bits >> at) & 1) === 1
  for (let at = 0; at < 15; at++) {
    set(at < 6 ? at : at < 8 ? at + 1 : size - 15 + at, 8, isDark(at))
    set(8, at < 8 ? size - 1 - at : at === 8 ? 7 : 14 - at, isDark(at))
  }
  set(size - 8, 8, true)
}

function drawVersion(size: number, version: number, set: Set): void {
  const bits = (version << 12) | remainder(version, 12, 0x1f25)
  for (let at = 0; at < 18; at++) {
    const [near, far] = [Math.floor(at / 3), size - 11 + (at % 3)]
    set(near, far, ((bits >> at) & 1) === 1)
    set(far, near, ((bits >> at) & 1) === 1)
  }
}

/** Of `data` followed by `length` zeros, divided by the polynomial. */
function remainder(data: number, length: number, polynomial: number): number {
  let rest = data
  for (let at = 0; at < length; at++) rest = (rest << 1) ^ ((rest >> (length - 1)) * polynomial)
  return rest
}

/** The places of a code in the order of its bits: pairs of columns from the right, upwards and downwards in turn. */
function* zigzag(size: number): Generator<readonly [number, number]> {
  let isUp = true
  for (let right = size - 1; right > 0; right -= 2) {
    if (right === 6) right = 5
    for (let at = 0; at < size; at++) {
      const row = isUp ? size - 1 - at : at
      yield [row, right]
      yield [row, right - 1]
    }
    isUp = !isUp
  }
}

/** What makes a code hard to read, by the rules of the standard. */
function penalty(modules: Modules): number {
  const rows = modules.map((row) => row.map((isDark) => (isDark ? '1' : '0')).join(''))
  const turned = rows.map((_, at) => rows.map((row) => row[at]).join(''))
  let marks = 0
  for (const line of [...rows, ...turned]) {
    for (const [run] of line.matchAll(/0{5,}|1{5,}/g)) marks += run.length - 2
    for (const _ of line.matchAll(/(?=10111010000|00001011101)/g)) marks += 40
  }
  for (let row = 1; row < rows.length; row++)
    for (let column = 1; column < rows.length; column++) {
      const four = `${rows[row - 1]?.slice(column - 1, column + 1)}${rows[row]?.slice(column - 1, column + 1)}`
      if (four === '0000' || four === '1111') marks += 3
    }
  const dark = rows.join('').replaceAll('0', '').length / rows.length ** 2
  return marks + 10 * Math.floor(Math.abs(dark - 0.5) * 20)
}
