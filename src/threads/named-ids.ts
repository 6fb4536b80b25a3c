import { grown } from './grown.ts'

/** Marks an id that joins only to a message that is present. */
const weak = 0x80000000

const nobody: readonly number[] = []

/** The ids that each message names, as nodes, in their order: strong ones first. 4 bytes each and 4 a row. */
export class NamedIds {
  #nodes: Uint32Array
  /** Where each row's ids start, and one more, where the last one's end. */
  #starts: Uint32Array
  #count = 0
  /** The rows that name a node weakly. Rare, hence a Map. */
  readonly #weakly = new Map<number, number[]>()

  constructor(expectedRows: number) {
    this.#nodes = new Uint32Array(2 * expectedRows)
    this.#starts = new Uint32Array(expectedRows + 1)
  }

  get bytes(): number {
    return this.#nodes.byteLength + this.#starts.byteLength + 120 * this.#weakly.size
  }

  /** Makes room for so many rows in all and so many ids more. */
  reserve(rows: number, ids: number): void {
    this.#starts = grown(this.#starts, rows + 1)
    this.#nodes = grown(this.#nodes, this.#count + ids)
  }

  addStrong(node: number): void {
    this.#nodes[this.#count++] = node
  }

  addWeak(node: number, row: number): void {
    this.#nodes[this.#count++] = weak | node
    const rows = this.#weakly.get(node)
    if (rows) rows.push(row)
    else this.#weakly.set(node, [row])
  }

  /** What was added since the row before is this row's. Rows come one after another. */
  close(row: number): void {
    this.#starts[row + 1] = this.#count
  }

  /** A row's ids are at the places from `start` to before `end`. */
  start(row: number): number {
    return this.#starts[row] as number
  }

  end(row: number): number {
    return this.#starts[row + 1] as number
  }

  node(place: number): number {
    return (this.#nodes[place] as number) & ~weak
  }

  isWeak(place: number): boolean {
    return (this.#nodes[place] as number) >= weak
  }

  firstStrong(row: number): number | undefined {
    const start = this.start(row)
    return start < this.end(row) && !this.isWeak(start) ? this.node(start) : undefined
  }

  /** The rows that name the node weakly, those that have gone among them. */
  weaklyNaming(node: number): readonly number[] {
    return this.#weakly.get(node) ?? nobody
  }
}
