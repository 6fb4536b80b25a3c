import { grown } from './grown.ts'

/** The rows that belong to the sets, as far as these ask and tell. */
interface Rows {
  /** Whether `row` was received after `other`. */
  isLater(row: number, other: number): boolean
  /** A row is a head where it was received last of its set: each conversation has one. */
  setHead(row: number, value: boolean): void
}

/** Which id nodes are connected, and which rows belong to each connected set: union-find with the rows of a set in a
 *  circle, so that two sets merge by swapping two links. A set that holds rows is a conversation. 8 bytes a node and 4
 *  a row. */
export class Conversations {
  /** Sets that hold rows. */
  total = 0
  /** Of a root, minus the number of other nodes in its set; else the parent plus one. So zero is a node by itself. */
  #parent: Int32Array
  /** Of a root, the row of its set that was received last, plus one; 0 where it holds none. */
  #newest: Uint32Array
  /** The next row in the circle. */
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

  /** Makes room; a node or row that was never mentioned is by itself. */
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

  /** The set's rows, in no order. Empty where it is no conversation. */
  rows(root: number): number[] {
    const rows: number[] = []
    const first = (this.#newest[root] as number) - 1
    if (first < 0) return rows
    let row = first
    do {
      rows.push(row)
      row = this.#next[row] as number
    } while (row !== first)
    return rows
  }

  /** Puts a row into its node's set. */
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

  /** Makes two nodes' sets one. */
  connect(a: number, b: number): void {
    let root = this.root(a)
    let other = this.root(b)
    if (root === other) return
    if ((this.#parent[root] as number) > (this.#parent[other] as number)) [root, other] = [other, root]
    this.#parent[root] = (this.#parent[root] as number) + (this.#parent[other] as number) - 1
    this.#parent[other] = root + 1
    this.#mergeRows(root, other)
  }

  /** Leaves each of the nodes by itself, without rows. They must be all the nodes of `root`'s set. */
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
