import type { Filter, FilterFields } from './filter.ts'
import type { FilterInput } from './filter-input.ts'
import { type CompiledFilter, compileFilter, FilterRun, type Idle, matchedText, matches } from './matching.ts'

/** A filter that matched in a trial. */
interface Match extends Pick<CompiledFilter, 'name' | 'field' | 'op' | 'value' | 'action' | 'argument'> {
  /** Null for the draft. */
  readonly filter_id: string | null
  readonly matched_text: string
  /** Whether it would act, and if not, why. */
  readonly applied: boolean
  readonly reason: Idle | null
}

/** What the filters, given in the order in which they run, would make of a message. */
export function tryFilters(filters: readonly CompiledFilter[], input: FilterInput, inFolder = 'inbox') {
  const run = new FilterRun(inFolder)
  const found: Match[] = []
  for (const filter of filters) {
    if (!matches(filter, input)) continue
    const { id, name, field, op, value, action, argument } = filter
    const reason = run.apply(filter)
    const matched_text = matchedText(filter, input) ?? ''
    found.push({ filter_id: id, name, field, op, value, matched_text, action, argument, applied: !reason, reason })
  }
  const { folder, keywords, flagged, seen } = run.result()
  return { matches: found, result: { folder, labels: keywords, starred: flagged, unread: !seen } }
}

/** The filters as they would run with the draft among them: after those of equal position, last without a position. */
export function withDraft(
  filters: readonly Filter[],
  draft: (FilterFields & { position?: number | undefined }) | undefined,
): CompiledFilter[] {
  const all = filters.map((filter) => compileFilter(filter, filter.id))
  if (!draft) return all
  const { position = Number.POSITIVE_INFINITY } = draft
  const later = filters.findIndex((filter) => filter.position > position)
  all.splice(later < 0 ? all.length : later, 0, compileFilter({ ...draft, broken: null }, null))
  return all
}
