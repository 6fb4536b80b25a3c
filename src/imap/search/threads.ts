import { type BaseSubject, baseSubject } from './base-subject.ts'
import type { Forest } from './forest.ts'
import { eachInTurns, sortInTurns } from './sort-in-turns.ts'

/** A thread: messages that answer none of the others, of which there are several if what they answer is not there. */
export type Thread = number[]

export interface Threads {
  readonly threads: readonly Thread[]
  /** By message, those that answer it. */
  readonly children: readonly (readonly number[] | undefined)[]
}

type Times = (message: number) => number

/** As many messages are sorted at once. */
const few = 32

/** The threads of a forest: answers by their times, of equal ones by their numbers (RFC 5256, section 3, REFERENCES, step 4). */
export class Arranging {
  /** By message, its place in that order. */
  readonly #places: Uint32Array
  readonly children: (number[] | undefined)[]
  threads: Thread[] = []

  private constructor(messages: number) {
    this.#places = new Uint32Array(messages)
    this.children = Array(messages)
  }

  static async of({ parents, conversations }: Forest, times: Times): Promise<Arranging> {
    const made = new Arranging(parents.length)
    const order = await sortInTurns(Uint32Array.from(parents.keys()), (a, b) => times(a) - times(b) || a - b)
    const byConversation = new Map<number, Thread>()
    let place = 0
    await eachInTurns(order, (message) => {
      made.#places[message] = place++
      const parent = parents[message] ?? -1
      if (parent >= 0) {
        made.#childrenOf(parent).push(message)
        return
      }
      const conversation = conversations[message] ?? 0
      const thread = byConversation.get(conversation)
      if (thread) thread.push(message)
      else byConversation.set(conversation, [message])
    })
    made.threads = [...byConversation.values()]
    return made
  }

  /** Joins threads with the same subject, where one answers the other or what both answer is not there (step 5), and puts them in the order
   *  of their first messages again. `subjectOf` is asked of the first message of each. */
  async joinSubjects(subjectOf: (message: number) => string): Promise<void> {
    const subjects = new Map<Thread, BaseSubject>()
    const held = new Map<string, Thread>()
    await eachInTurns(this.threads, (thread) => {
      const subject = baseSubject(subjectOf(first(thread)))
      subjects.set(thread, subject)
      const key = keyOf(subject)
      if (!key) return
      const other = held.get(key)
      if (!other || isBetter(thread, other, subjects)) held.set(key, thread)
    })
    /** Those that others were joined to, and those that were. */
    const [grown, joined] = [new Set<Thread>(), new Set<Thread>()]
    await eachInTurns(this.threads, (thread) => {
      const subject = subjects.get(thread)
      const into = subject && held.get(keyOf(subject))
      if (!into || into === thread) return
      joined.add(thread)
      if (into.length === 1 && thread.length === 1 && subject.isReply && !subjects.get(into)?.isReply) {
        grown.add(this.#childrenOf(first(into)))
        this.#childrenOf(first(into)).push(first(thread))
      } else {
        grown.add(into)
        for (const message of thread) into.push(message)
      }
    })
    await this.#sort(grown)
    const left = this.threads.filter((thread) => !joined.has(thread))
    const placeAt = (at: number) => this.#placeOf(first(left[at] ?? []))
    const order = await sortInTurns(Uint32Array.from(left.keys()), (a, b) => placeAt(a) - placeAt(b))
    this.threads = Array.from(order, (at) => left[at] ?? [])
  }

  /** The thread first that has the oldest of the newest messages, by these times. */
  async byNewest(times: Times): Promise<void> {
    const newest = new Map<Thread, number>()
    await eachInTurns(this.threads, (thread) => {
      let time = Number.NEGATIVE_INFINITY
      for (const message of this.#within(thread)) time = Math.max(time, times(message))
      newest.set(thread, time)
    })
    const { threads } = this
    const timeOf = (at: number) => newest.get(threads[at] ?? []) ?? 0
    const order = await sortInTurns(Uint32Array.from(threads.keys()), (a, b) => timeOf(a) - timeOf(b) || a - b)
    this.threads = Array.from(order, (at) => threads[at] ?? [])
  }

  /** Puts all messages of each thread under its first (RFC 5256, section 3, ORDEREDSUBJECT). */
  async underFirst(): Promise<void> {
    await eachInTurns(this.threads, (thread) => {
      const [top = 0] = thread
      const others = thread.splice(1)
      if (others.length > 0) this.children[top] = others
    })
  }

  *#within(thread: Thread): Generator<number> {
    const open = [...thread]
    for (let message = open.pop(); message !== undefined; message = open.pop()) {
      yield message
      for (const child of this.children[message] ?? []) open.push(child)
    }
  }

  #childrenOf(message: number): number[] {
    const held = this.children[message] ?? []
    this.children[message] = held
    return held
  }

  /** A list may have all messages of a folder, and so may all lists together. */
  async #sort(lists: Iterable<number[]>): Promise<void> {
    const byPlace = (a: number, b: number) => this.#placeOf(a) - this.#placeOf(b)
    const long: number[][] = []
    await eachInTurns(lists, (messages) => {
      if (messages.length > few) long.push(messages)
      else messages.sort(byPlace)
    })
    for (const messages of long) {
      const order = await sortInTurns(Uint32Array.from(messages), byPlace)
      for (const [at, message] of order.entries()) messages[at] = message
    }
  }

  #placeOf(message: number): number {
    return this.#places[message] ?? 0
  }
}

/** Which of two threads of a subject others are joined to: one without its first message before others, then one that is no answer. */
function isBetter(thread: Thread, held: Thread, subjects: ReadonlyMap<Thread, BaseSubject>): boolean {
  if (held.length > 1) return false
  return thread.length > 1 || (subjects.get(held)?.isReply === true && subjects.get(thread)?.isReply === false)
}

function keyOf({ text }: BaseSubject): string {
  return text.toUpperCase()
}

function first(thread: Thread): number {
  return thread[0] ?? 0
}

/** `(2)(3 6 (4 23)(44 7 96))` (RFC 5256, section 4), in pieces. */
export function* written({ threads, children }: Threads, numberOf: (message: number) => number): Generator<string> {
  for (const thread of threads) {
    const [only] = thread
    if (thread.length === 1 && only !== undefined) yield* writtenFrom(only, children, numberOf)
    else {
      yield '('
      for (const message of thread) yield* writtenFrom(message, children, numberOf)
      yield ')'
    }
  }
}

/** In parentheses. Without recursion: a thread may be as deep as a folder has messages. */
function* writtenFrom(
  start: number,
  children: Threads['children'],
  numberOf: (message: number) => number,
): Generator<string> {
  /** Messages to be written, and undefined where parentheses end. */
  const open: (number | undefined)[] = [undefined, start]
  let before = '('
  while (open.length > 0) {
    const message = open.pop()
    if (message === undefined) {
      yield ')'
      before = '('
      continue
    }
    yield `${before}${numberOf(message)}`
    const answers = children[message] ?? []
    if (answers.length > 1) yield ' '
    before = answers.length === 1 ? ' ' : '('
    for (const answer of answers.toReversed()) {
      if (answers.length > 1) open.push(undefined)
      open.push(answer)
    }
  }
}
