import { type BaseSubject, baseSubject } from './base-subject.ts'
import type { Forest } from './forest.ts'
import { sortInTurns } from './sort-in-turns.ts'

/** A thread: messages that answer none of the others, of which there are several if what they answer is not there. */
export type Thread = number[]

export interface Threads {
  readonly threads: readonly Thread[]
  /** By message, those that answer it. */
  readonly children: readonly (readonly number[] | undefined)[]
}

type Times = (message: number) => number

/** The threads of a forest: answers by their times, of equal ones by their numbers (RFC 5256, section 3, REFERENCES, step 4). */
export class Arranging {
  readonly #places: Uint32Array
  readonly children: (number[] | undefined)[]
  threads: Thread[]

  private constructor(order: Uint32Array, { parents, conversations }: Forest) {
    this.#places = new Uint32Array(order.length)
    for (const [place, message] of order.entries()) this.#places[message] = place
    this.children = Array(order.length)
    const byConversation = new Map<number, Thread>()
    for (const message of order) {
      const parent = parents[message] ?? -1
      if (parent >= 0) this.#childrenOf(parent).push(message)
      else {
        const conversation = conversations[message] ?? 0
        const thread = byConversation.get(conversation)
        if (thread) thread.push(message)
        else byConversation.set(conversation, [message])
      }
    }
    this.threads = [...byConversation.values()]
  }

  static async of(forest: Forest, times: Times): Promise<Arranging> {
    const numbers = Uint32Array.from(forest.parents.keys())
    return new Arranging(await sortInTurns(numbers, (a, b) => times(a) - times(b) || a - b), forest)
  }

  /** Joins threads with the same subject, where one answers the other or what both answer is not there (step 5), and puts them in the order
   *  of their first messages again. `subjectOf` is asked of the first message of each. */
  joinSubjects(subjectOf: (message: number) => string): void {
    const subjects = new Map(this.threads.map((thread) => [thread, baseSubject(subjectOf(first(thread)))]))
    const held = new Map<string, Thread>()
    for (const thread of this.threads) {
      const subject = subjects.get(thread)
      const key = subject && keyOf(subject)
      if (!key) continue
      const other = held.get(key)
      if (!other || isBetter(thread, other, subjects)) held.set(key, thread)
    }
    const joined = new Set<Thread>()
    for (const thread of this.threads) {
      const subject = subjects.get(thread)
      const into = subject && held.get(keyOf(subject))
      if (!into || into === thread) continue
      joined.add(thread)
      if (into.length === 1 && thread.length === 1 && subject.isReply && !subjects.get(into)?.isReply) {
        this.#childrenOf(first(into)).push(first(thread))
      } else into.push(...thread)
    }
    this.threads = this.threads.filter((thread) => !joined.has(thread))
    for (const thread of this.threads) {
      this.#sort(thread)
      const [only] = thread
      if (thread.length === 1 && only !== undefined) this.#sort(this.children[only] ?? [])
    }
    this.threads.sort((a, b) => this.#placeOf(first(a)) - this.#placeOf(first(b)))
  }

  /** The thread first that has the oldest of the newest messages, by these times. */
  async byNewest(times: Times): Promise<void> {
    const newest = new Map<Thread, number>()
    for (const thread of this.threads) {
      let time = Number.NEGATIVE_INFINITY
      for (const message of this.#within(thread)) time = Math.max(time, times(message))
      newest.set(thread, time)
    }
    const { threads } = this
    const timeOf = (at: number) => newest.get(threads[at] ?? []) ?? 0
    const order = await sortInTurns(Uint32Array.from(threads.keys()), (a, b) => timeOf(a) - timeOf(b) || a - b)
    this.threads = Array.from(order, (at) => threads[at] ?? [])
  }

  /** Puts all messages of each thread under its first (RFC 5256, section 3, ORDEREDSUBJECT). */
  underFirst(): void {
    this.threads = this.threads.map(([top = 0, ...others]) => {
      if (others.length > 0) this.children[top] = others
      return [top]
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

  #sort(messages: number[]): void {
    messages.sort((a, b) => this.#placeOf(a) - this.#placeOf(b))
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
