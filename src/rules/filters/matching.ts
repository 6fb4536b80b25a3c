import type { AppliedFilter as Applied } from '#/base/db/schema/mail.ts'
import type { Filter } from './filter.ts'
import { type FilterInput, fold, foldAddress, foldWhole } from './filter-input.ts'

/** A filter prepared for matching. `id` is null for a draft, which is not stored. */
export interface CompiledFilter extends Pick<Filter, 'name' | 'field' | 'op' | 'value' | 'action' | 'argument'> {
  readonly id: string | null
  /** It belongs to a member, not the organization. */
  readonly personal: boolean
  /** The value, folded like the field. */
  readonly needle: string
  /** Why a match has no effect. */
  readonly idle: 'disabled' | 'label_deleted' | null
}

/** Why a match has no effect. */
export type Idle = 'disabled' | 'label_deleted' | 'earlier_move'

/** The result of the filters for a message. */
export interface Placement {
  readonly folder: string
  readonly seen: boolean
  readonly flagged: boolean
  readonly keywords: readonly string[]
  /** The filters that acted, in order. */
  readonly trace: readonly Applied[]
  /** Errors of single filters. */
  readonly errors: readonly unknown[]
}

export function compileFilter(
  filter: Pick<Filter, 'name' | 'field' | 'op' | 'value' | 'action' | 'argument' | 'enabled' | 'broken'>,
  id: string | null,
  personal = false,
): CompiledFilter {
  const { name, field, op, value, action, argument, enabled, broken } = filter
  const idle = enabled ? broken : 'disabled'
  return { id, personal, name, field, op, value, action, argument, needle: needle(filter), idle }
}

function needle({ field, op, value }: Pick<Filter, 'field' | 'op' | 'value'>): string {
  if (op === 'contains') return fold(value)
  return field === 'subject' ? foldWhole(value) : foldAddress(value)
}

/** Compares text, never patterns. `contains` matches a part of a name, an address or the subject; `is` matches a whole
 *  address or the whole subject. */
export function matches({ field, op, needle }: CompiledFilter, input: FilterInput): boolean {
  return op === 'is' ? input[field].whole.has(needle) : input[field].lines.includes(needle)
}

/** The first text of the message that matches. */
export function matchedText({ field, op, needle }: CompiledFilter, input: FilterInput): string | undefined {
  const { whole, texts } = input[field]
  return op === 'is' ? whole.get(needle) : texts.find((text) => fold(text).includes(needle))
}

/**
 * Applies the filters in order to a message that would be in `folder`, unread and unstarred. Labels add up; the first
 * matching move wins. A filter that fails is skipped: mail must not be lost or delayed by it.
 */
export function applyFilters(filters: readonly CompiledFilter[], input: FilterInput, folder: string): Placement {
  const run = new FilterRun(folder)
  const errors: unknown[] = []
  for (const filter of filters) {
    try {
      if (matches(filter, input)) run.apply(filter)
    } catch (error) {
      errors.push(error)
    }
  }
  return { ...run.result(), errors }
}

/** The state of a message while filters are applied. */
export class FilterRun {
  #folder: string
  #moved = false
  #seen = false
  #flagged = false
  readonly #keywords = new Set<string>()
  readonly #trace: Applied[] = []

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Applies the filter, or returns why not. */
  apply(filter: CompiledFilter): Idle | null {
    if (filter.idle) return filter.idle
    if (filter.action === 'move' && this.#moved) return 'earlier_move'
    this.#act(filter)
    const { id, name, action, argument, personal } = filter
    if (id !== null) this.#trace.push({ filter_id: id, name, action, argument, ...(personal && { personal }) })
    return null
  }

  #act({ action, argument }: CompiledFilter): void {
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
