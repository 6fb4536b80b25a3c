import { grown } from './grown.ts'

/** The data of rows that the sets use. */
interface Rows {
  /** Whether `row` was received after `other`. */
  isLater(row: number, other: number): boolean
  /** A head is the row of a set that was received last. Each conversation has one. */
  setHead(row: number, value: boolean): void
}

/** Union-find over id nodes. The rows of a set are a circular list, so that two sets merge by swapping two links. A set with
 *  rows is a conversation. Takes 8 bytes a node and 4 a row. */
export class Conversations {
  /** The number of sets with rows. */
  total = 0
  /** For a root, minus the number of other nodes in its set; else the parent plus one. So zero is a single node. */
  #parent: Int32Array
  /** For a root, its set's head plus one, or 0 if the set has no rows. */
  #newest: Uint32Array
  /** The next row in the list. */
  #next: Uint32Array
  readonly #rows: Rows

  constructor(expectedNodes: number, expectedRows: number, rows: Rows) {
    this.#parent = new Int32Array(expectedNodes)
    this.#newest = new Uint32Array(expectedNodes)
    this.#next = new Uint32Array(expectedRows)
    this.#rows = rows
  }

  get bytes(): number {
    return this.#parent.byteLength + this.#newest.byteLength + this.#next.byteLength
  }

  /** Allocates. A new node or row is alone. */
  reserve(nodes: number, rows: number): void {
    this.#parent = grown(this.#parent, nodes)
    this.#newest = grown(this.#newest, nodes)
    this.#next = grown(this.#next, rows)
  }

  /** The root of the node's set. */
  root(node: number): number {
    const parent = this.#parent
    let at = node
    let above = parent[at] as number
    while (above > 0) {
      const further = parent[above - 1] as number
      if (further > 0) parent[at] = further // path halving
      at = above - 1
      above = further
    }
    return at
  }

  /** The row of a set that was received last; -1 if it is no conversation. */
  head(root: number): number {
    return (this.#newest[root] as number) - 1
  }

  /** The set's rows, in no order. Empty if it is no conversation. */
  rows(root: number): number[] {
    const rows: number[] = []
    const first = this.head(root)
    if (first < 0) return rows
    let row = first
    do {
      rows.push(row)
      row = this.#next[row] as number
    } while (row !== first)
    return rows
  }

  /** The lowest row of a conversation. */
  lowestRow(root: number): number {
    const first = (this.#newest[root] as number) - 1
    let lowest = first
    for (let row = this.#next[first] as number; row !== first; row = this.#next[row] as number) {
      lowest = Math.min(lowest, row)
    }
    return lowest
  }

  /** Adds a row to its node's set. */
  add(row: number, node: number): void {
    const root = this.root(node)
    const newest = (this.#newest[root] as number) - 1
    if (newest < 0) {
      this.#next[row] = row
      this.#newest[root] = row + 1
      this.#rows.setHead(row, true)
      this.total++
    } else {
      this.#next[row] = this.#next[newest] as number
      this.#next[newest] = row
      if (!this.#rows.isLater(row, newest)) return
      this.#newest[root] = row + 1
      this.#rows.setHead(newest, false)
      this.#rows.setHead(row, true)
    }
  }

  /** Merges the sets of two nodes. */
  connect(a: number, b: number): void {
    let root = this.root(a)
    let other = this.root(b)
    if (root === other) return
    if ((this.#parent[root] as number) > (this.#parent[other] as number)) [root, other] = [other, root]
    this.#parent[root] = (this.#parent[root] as number) + (this.#parent[other] as number) - 1
    this.#parent[other] = root + 1
    this.#mergeRows(root, other)
  }

  /** Makes each node a set of its own, without rows. `nodes` must be all nodes of `root`'s set. */
  dissolve(root: number, nodes: Iterable<number>): void {
    const newest = (this.#newest[root] as number) - 1
    if (newest >= 0) {
      this.#rows.setHead(newest, false)
      this.total--
    }
    for (const node of nodes) {
      this.#parent[node] = 0
      this.#newest[node] = 0
    }
  }

  #mergeRows(root: number, other: number): void {
    const theirs = (this.#newest[other] as number) - 1
    if (theirs < 0) return
    this.#newest[other] = 0
    const ours = (this.#newest[root] as number) - 1
    if (ours < 0) {
      this.#newest[root] = theirs + 1
      return
    }
    const next = this.#next[ours] as number
    this.#next[ours] = this.#next[theirs] as number
    this.#next[theirs] = next
    const later = this.#rows.isLater(theirs, ours)
    this.#rows.setHead(later ? ours : theirs, false)
    if (later) this.#newest[root] = theirs + 1
    this.total--
  }
}
