import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Change } from '#/mail/store/change.ts'
import type { Heading } from '#/mail/store/headings.ts'
import type { FilterInput } from '../filter-input.ts'
import { type CompiledFilter, FilterRun, matches } from '../matching.ts'
import { tryFilters } from '../trial.ts'
import type { Counts, FilterCounts } from './counts.ts'
import type { Group } from './groups.ts'
import { headingInput } from './heading-input.ts'
import type { RunFolder, Sample } from './run-folder.ts'

export interface Evaluated {
  readonly groups: readonly Group[]
  readonly matched: number
  readonly filters: readonly FilterCounts[]
  /** The first that matched. */
  readonly matching: readonly { readonly heading: Heading; readonly input: FilterInput }[]
}

/** How long messages are evaluated in one turn of the event loop, in milliseconds. */
const turnMs = 5

/** The changes that the filters make to messages of a folder. A message that is in the resulting state already has none. */
export async function evaluate(
  filters: readonly CompiledFilter[],
  messages: readonly Heading[],
  { folder, address, most }: { folder: string; address: string; most: number },
): Promise<Evaluated> {
  const counted = filters.map(() => ({ matched: 0, applied: 0 }))
  const groups = new Map<string, { uids: number[]; change: Change }>()
  const matching: { heading: Heading; input: FilterInput }[] = []
  let matched = 0
  let until = performance.now() + turnMs
  for (const heading of messages) {
    if (performance.now() > until) {
      await nextTurn()
      until = performance.now() + turnMs
    }
    const input = headingInput(heading, address)
    const run = new FilterRun(folder)
    let any = false
    for (const [index, filter] of filters.entries()) {
      if (!matches(filter, input)) continue
      any = true
      const count = counted[index]
      if (count) {
        count.matched++
        if (run.apply(filter) === null) count.applied++
      }
    }
    if (!any) continue
    matched++
    if (matching.length < most) matching.push({ heading, input })
    const change = changeFor(run, heading, folder)
    if (!change) continue
    const key = JSON.stringify(change)
    const group = groups.get(key)
    if (group) group.uids.push(heading.uid)
    else groups.set(key, { uids: [heading.uid], change })
  }
  return { groups: [...groups.values()], matched, filters: counted, matching }
}

function changeFor(run: FilterRun, { seen, flagged, keywords }: Heading, from: string): Change | undefined {
  const placed = run.result()
  const addKeywords = placed.keywords.filter((keyword) => !keywords.includes(keyword)).sort()
  const change: Change = {
    ...(placed.seen && !seen && { seen: true }),
    ...(placed.flagged && !flagged && { flagged: true }),
    ...(addKeywords.length > 0 && { addKeywords }),
    ...(placed.folder !== from && { folder: placed.folder }),
  }
  return Object.keys(change).length > 0 ? change : undefined
}

/** The counts plus those of the evaluated messages, except of changes. */
export function plusMatches(counts: Counts, { matched, filters }: Pick<Evaluated, 'matched' | 'filters'>): Counts {
  return {
    ...counts,
    matched: counts.matched + matched,
    filters: counts.filters.map((one, index) => ({
      matched: one.matched + (filters[index]?.matched ?? 0),
      applied: one.applied + (filters[index]?.applied ?? 0),
    })),
  }
}

/** What a preview shows of the messages that matched. Labels that are not `visible` are left out. */
export function samplesOf(
  filters: readonly CompiledFilter[],
  { matching }: Evaluated,
  { address, folder }: RunFolder,
  visible: ReadonlySet<string>,
): Sample[] {
  return matching.map(({ heading: { uid, subject, seen, flagged, keywords }, input }) => {
    const { matches, result } = tryFilters(filters, input, folder)
    const labels = [...new Set([...keywords.filter((keyword) => visible.has(keyword)), ...result.labels])]
    const after = { ...result, labels, starred: flagged || result.starred, unread: !seen && result.unread }
    return { mailbox: address, folder, uid, subject, matches, result: after }
  })
}
