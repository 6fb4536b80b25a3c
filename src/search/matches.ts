import type { Searchable } from '#/mime/body/searchable.ts'
import type { Summary } from '#/ports/mail-host.ts'
import type { SearchTree } from '#/ports/search.ts'
import { timeOf } from './operators.ts'
import { type Phrase, PhraseSearch } from './phrases.ts'

/** The searchable facts of a message. Without `searchable` its words are unknown. */
export interface Candidate {
  readonly summary: Summary
  readonly searchable?: Searchable
}

/** A query, prepared for many messages. */
export class Matcher {
  readonly #tree: SearchTree
  readonly #now: Date
  readonly #phrases: readonly Phrase[]
  readonly #search: PhraseSearch

  constructor(tree: SearchTree, now: Date) {
    this.#tree = tree
    this.#now = now
    this.#phrases = phrasesIn(tree)
    this.#search = new PhraseSearch(this.#phrases)
  }

  /** Whether the query finds a message; undefined if that depends on unknown words. */
  matches({ summary, searchable }: Candidate): boolean | undefined {
    const found = searchable && this.#search.in(searchable, ({ size }) => size === this.#phrases.length)
    return matches(this.#tree, { summary, found }, this.#now)
  }
}

/** The phrases of a query, those after `-` included. */
function phrasesIn(tree: SearchTree): Phrase[] {
  if (tree.kind === 'all' || tree.kind === 'either') return tree.of.flatMap(phrasesIn)
  if (tree.kind === 'not') return phrasesIn(tree.of)
  return tree.kind === 'text' ? [tree] : []
}

/** The facts, and the phrases that the message has, unless they are unknown. */
interface Known {
  readonly summary: Summary
  readonly found: ReadonlyMap<Phrase, unknown> | undefined
}

function matches(tree: SearchTree, candidate: Known, now: Date): boolean | undefined {
  const { summary, found } = candidate
  switch (tree.kind) {
    case 'all':
      return joined(tree.of, false, candidate, now)
    case 'either':
      return joined(tree.of, true, candidate, now)
    case 'not': {
      const matched = matches(tree.of, candidate, now)
      return matched === undefined ? undefined : !matched
    }
    case 'text':
      return found?.has(tree)
    case 'label':
      return summary.keywords.includes(tree.keyword)
    case 'folder':
      return tree.name === null || summary.folder === tree.name
    case 'attachment':
      return summary.hasAttachment
    case 'unread':
      return !summary.seen
    case 'starred':
      return summary.flagged
    case 'before':
    case 'older_than':
      return summary.receivedAt < timeOf(tree, now)
    case 'after':
    case 'newer_than':
      return summary.receivedAt >= timeOf(tree, now)
    case 'larger':
      return summary.sizeBytes > tree.bytes
    case 'smaller':
      return summary.sizeBytes < tree.bytes
    case 'message_id':
      return summary.messageId === tree.id
  }
}

/** One `decisive` decides; else one unknown leaves it open. */
function joined(of: readonly SearchTree[], decisive: boolean, candidate: Known, now: Date): boolean | undefined {
  let open = false
  for (const one of of) {
    const found = matches(one, candidate, now)
    if (found === decisive) return decisive
    open ||= found === undefined
  }
  return open ? undefined : !decisive
}
