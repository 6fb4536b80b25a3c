import type { Applied } from '#/ports/mail-host.ts'
import type { Filter } from './filter.ts'
import { fold, foldAddress, foldWhole, type Sighting } from './sighting.ts'

/** A filter made ready to look at many messages. `id` is null for a draft, which is not stored. */
export interface ReadyFilter extends Pick<Filter, 'name' | 'field' | 'op' | 'value' | 'action' | 'argument'> {
  readonly id: string | null
  /** A member's own, not the organization's. */
  readonly personal: boolean
  /** What it looks for, folded as the field is. */
  readonly needle: string
  /** Why it would do nothing although it matches. */
  readonly idle: 'disabled' | 'label_deleted' | null
}

/** Why a filter that matches does nothing. */
export type Idle = 'disabled' | 'label_deleted' | 'earlier_move'

/** What becomes of a message as it arrives. */
export interface Placement {
  readonly folder: string
  readonly seen: boolean
  readonly flagged: boolean
  readonly keywords: readonly string[]
  /** The filters that acted, in the order in which they did. */
  readonly trace: readonly Applied[]
  /** What went wrong in a filter; the others acted all the same. */
  readonly errors: readonly unknown[]
}

export function ready(
  filter: Pick<Filter, 'name' | 'field' | 'op' | 'value' | 'action' | 'argument' | 'enabled' | 'broken'>,
  id: string | null,
  personal = false,
): ReadyFilter {
  const { name, field, op, value, action, argument, enabled, broken } = filter
  const idle = enabled ? broken : 'disabled'
  return { id, personal, name, field, op, value, action, argument, needle: needle(filter), idle }
}

function needle({ field, op, value }: Pick<Filter, 'field' | 'op' | 'value'>): string {
  if (op === 'contains') return fold(value)
  return field === 'subject' ? foldWhole(value) : foldAddress(value)
}

/** Text against text, never a pattern: what `contains` looks for is a part of a name, an address or the subject; what
 *  `is` looks for is a whole address, or the whole subject. */
export function matches({ field, op, needle }: ReadyFilter, sighting: Sighting): boolean {
  return op === 'is' ? sighting[field].whole.has(needle) : sighting[field].lines.includes(needle)
}

/** The first text, as the message has it, that the filter matches. */
export function matchedText({ field, op, needle }: ReadyFilter, sighting: Sighting): string | undefined {
  const { whole, texts } = sighting[field]
  return op === 'is' ? whole.get(needle) : texts.find((text) => fold(text).includes(needle))
}

/**
 * What the filters, in the order in which they are given, make of a message that would otherwise lie in `folder`, unread
 * and unstarred: labels add up, star and read apply, the first move that matches wins. A filter that fails is passed
 * over, since the mail must neither be lost nor wait for it.
 */
export function place(filters: readonly ReadyFilter[], sighting: Sighting, folder: string): Placement {
  const placing = new Placing(folder)
  const errors: unknown[] = []
  for (const filter of filters) {
    try {
      if (matches(filter, sighting)) placing.take(filter)
    } catch (error) {
      errors.push(error)
    }
  }
  return { ...placing.result(), errors }
}

/** A message on its way through the filters that match it. */
export class Placing {
  #folder: string
  #moved = false
  #seen = false
  #flagged = false
  readonly #keywords = new Set<string>()
  readonly #trace: Applied[] = []

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Does what the filter says, or tells why not. */
  take(filter: ReadyFilter): Idle | null {
    if (filter.idle) return filter.idle
    if (filter.action === 'move' && this.#moved) return 'earlier_move'
    this.#act(filter)
    const { id, name, action, argument, personal } = filter
    if (id !== null) this.#trace.push({ filter_id: id, name, action, argument, ...(personal && { personal }) })
    return null
  }

  #act({ action, argument }: ReadyFilter): void {
    if (action === 'star') this.#flagged = true
    else if (action === 'read') this.#seen = true
    else if (argument === null) throw new Error(`A filter to ${action} has no argument`)
    else if (action === 'label') this.#keywords.add(argument)
    else {
      this.#folder = argument
      this.#moved = true
    }
  }

  result() {
    return {
      folder: this.#folder,
      seen: this.#seen,
      flagged: this.#flagged,
      keywords: [...this.#keywords],
      trace: this.#trace,
    }
  }
}
