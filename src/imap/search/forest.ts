import type { ThreadIndex } from '#/mail/threads/thread-index.ts'
import { eachInTurns } from './sort-in-turns.ts'

/** How messages answer each other: each by its number, from 0. */
export interface Forest {
  /** What each message answers; -1 for one that answers none of them. */
  readonly parents: Int32Array
  /** The conversation of each, by a number. Those of one that answer none of them belong together all the same. */
  readonly conversations: Int32Array
}

const none = -1

/**
 * Puts messages under those that they answer (RFC 5256, section 3, REFERENCES, steps 1 to 3), by the ids that the index of conversations
 * has of them. Messages are in one thread if and only if they are in one conversation of the folder (docs/reference/threads.md). A
 * message with the id of another one stands beside its answers.
 */
export async function forestOf(index: ThreadIndex, uids: ArrayLike<number>): Promise<Forest> {
  const links = new Links(index, uids.length)
  const messages = Array(uids.length)
  await eachInTurns(messages.keys(), (message) => links.add(message, uids[message] ?? 0))
  // What a message itself says of its parent comes before what others say.
  await eachInTurns(messages.keys(), (message) => links.ownParent(message))
  await eachInTurns(messages.keys(), (message) => links.chain(message))
  const forest: Forest = { parents: new Int32Array(uids.length), conversations: new Int32Array(uids.length) }
  await eachInTurns(messages.keys(), (message) => {
    forest.parents[message] = links.parentOf(message)
    forest.conversations[message] = links.conversationOf(message)
  })
  return forest
}

/** Nodes are those of the index, and behind them one for each message whose id another message has. */
class Links {
  readonly #index: ThreadIndex
  readonly #nodes: number
  /** By message. */
  readonly #rows: Int32Array
  readonly #nodeOf: Int32Array
  /** By node: the message there, its parent, and for finding loops the representative of its tree. */
  readonly #messages: Int32Array
  readonly #parents: Int32Array
  readonly #trees: Int32Array

  constructor(index: ThreadIndex, messages: number) {
    this.#index = index
    this.#nodes = index.ids.count
    this.#rows = new Int32Array(messages).fill(none)
    this.#nodeOf = new Int32Array(messages).fill(none)
    this.#messages = new Int32Array(this.#nodes + messages).fill(none)
    this.#parents = new Int32Array(this.#nodes + messages).fill(none)
    this.#trees = new Int32Array(this.#nodes + messages)
    for (let node = 0; node < this.#trees.length; node++) this.#trees[node] = node
  }

  /** A message that has left the folder since is on its own. */
  add(message: number, uid: number): void {
    const row = this.#index.rows.find(uid)
    const own = row === undefined ? none : this.#index.rows.node(row)
    const isFirst = own !== none && own < this.#nodes && this.#messages[own] === none
    const node = isFirst ? own : this.#nodes + message
    this.#rows[message] = row ?? none
    this.#nodeOf[message] = node
    this.#messages[node] = message
    if (!isFirst && own !== none && own < this.#nodes) this.#link(node, own)
  }

  /** The last id that it names strongly, else one of a message that is there. */
  ownParent(message: number): void {
    const node = this.#nodeOf[message] ?? none
    if (node >= this.#nodes) return
    const named = this.#named(message)
    const last = named.at(-1)
    if (last !== undefined) this.#link(node, last)
  }

  /** Of the ids that it names, each answers the one before. */
  chain(message: number): void {
    const named = this.#named(message)
    for (let at = 1; at < named.length; at++) this.#link(named[at] ?? none, named[at - 1] ?? none)
  }

  /** The nearest message above a message. */
  parentOf(message: number): number {
    return this.#messageAbove(this.#nodeOf[message] ?? none)
  }

  conversationOf(message: number): number {
    const row = this.#rows[message] ?? none
    const { conversations, rows } = this.#index
    return row === none ? this.#nodes + message : conversations.root(rows.node(row))
  }

  /** Strong ids in their order; without any, weak ones of messages in the folder. */
  #named(message: number): number[] {
    const { named } = this.#index
    const row = this.#rows[message] ?? none
    if (row === none) return []
    const [strong, weak]: [number[], number[]] = [[], []]
    for (let place = named.start(row); place < named.end(row); place++) {
      const node = named.node(place)
      if (node >= this.#nodes) continue
      if (!named.isWeak(place)) strong.push(node)
      else if (this.#index.holds(node)) weak.push(node)
    }
    return strong.length > 0 ? strong : weak
  }

  /** Unless the node has a parent, or is above the other one. */
  #link(node: number, parent: number): void {
    if ((this.#parents[node] ?? none) !== none || this.#tree(parent) === node) return
    this.#parents[node] = parent
    this.#trees[node] = this.#tree(parent)
  }

  /** The top of the tree that a node is in. Tops alone are linked, so that it takes little time, however deep trees are. */
  #tree(node: number): number {
    const trees = this.#trees
    let at = node
    while (trees[at] !== at) {
      trees[at] = trees[trees[at] ?? 0] ?? 0
      at = trees[at] ?? 0
    }
    return at
  }

  /** The nearest message above a node. Nodes without one are passed over once: what is above them is theirs from then on. */
  #messageAbove(node: number): number {
    let at = this.#parents[node] ?? none
    while (at !== none && this.#messages[at] === none) at = this.#parents[at] ?? none
    for (let below = this.#parents[node] ?? none; below !== none && below !== at; ) {
      const next = this.#parents[below] ?? none
      this.#parents[below] = at
      below = next
    }
    return at === none ? none : (this.#messages[at] ?? none)
  }
}
