import type { Searchable } from '#/mime/body/searchable.ts'
import type { Summary } from '#/ports/mail-host.ts'
import type { SearchField, SearchTree } from '#/ports/search.ts'
import { timeOf } from './operators.ts'
import { findWords, wantedWords, wordsOf } from './words.ts'

/** The searchable facts of a message. Without `searchable` its words are unknown. */
export interface Candidate {
  readonly summary: Summary
  readonly searchable?: Searchable
}

/** Whether a query finds a message; undefined if that depends on unknown words. */
export function matches(tree: SearchTree, candidate: Candidate, now: Date): boolean | undefined {
  const { summary, searchable } = candidate
  switch (tree.kind) {
    case 'all':
      return joined(tree.of, false, candidate, now)
    case 'either':
      return joined(tree.of, true, candidate, now)
    case 'not': {
      const found = matches(tree.of, candidate, now)
      return found === undefined ? undefined : !found
    }
    case 'text':
      return searchable && textsOf(searchable, tree.field).some((text) => holds(text, tree.text))
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
function joined(of: readonly SearchTree[], decisive: boolean, candidate: Candidate, now: Date): boolean | undefined {
  let open = false
  for (const one of of) {
    const found = matches(one, candidate, now)
    if (found === decisive) return decisive
    open ||= found === undefined
  }
  return open ? undefined : !decisive
}

export const searchedFields = ['text', 'subject', 'filename', 'from', 'to', 'cc'] as const

function textsOf(searchable: Searchable, field: SearchField): readonly string[] {
  return field === 'any' ? searchedFields.flatMap((one) => searchable[one]) : searchable[field]
}

function holds(text: string, phrase: string): boolean {
  return findWords([...wordsOf(text)], wantedWords(phrase)) >= 0
}
