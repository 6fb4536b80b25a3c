import { grown } from './grown.ts'

/** Marks a weak id. */
const weak = 0x80000000

const noRows: readonly number[] = []

/** The ids that each message names, as nodes, strong ones first. Takes 4 bytes an id and 4 a row. */
export class NamedIds {
  #nodes: Uint32Array
  /** Where each row's ids start, and where the last one's end. */
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

  /** Allocates for so many rows in all and so many ids more. */
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

  /** Ends a row: the ids added since the row before are this row's. */
  close(row: number): void {
    this.#starts[row + 1] = this.#count
  }

  /** A row's ids are at places `start` to `end` - 1. */
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

  /** The rows that name the node weakly, deleted ones included. */
  weaklyNaming(node: number): readonly number[] {
    return this.#weakly.get(node) ?? noRows
  }
}
