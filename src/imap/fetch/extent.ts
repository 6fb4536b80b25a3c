import { type Extent, headBytes, smallBytes } from './contents.ts'
import type { FetchItem } from './items.ts'

/** How much of a message's octets is read for these items; undefined if nothing of what it says is asked for. */
export function extentOf(items: readonly FetchItem[]): Extent | undefined {
  const needs = new Set(items.map(needOf))
  const structure = needs.has('structure')
  const head = structure || needs.has('header') ? headBytes : 0
  if (structure || needs.has('octets')) return { whole: smallBytes, head, structure }
  return head > 0 || needs.has('preview') ? { whole: head, head, structure } : undefined
}

function needOf(item: FetchItem): 'structure' | 'octets' | 'header' | 'preview' | undefined {
  if (typeof item === 'string') {
    if (item === 'BODY' || item === 'BODYSTRUCTURE') return 'structure'
    if (item === 'ENVELOPE') return 'header'
    return item === 'PREVIEW' ? 'preview' : undefined
  }
  const { path, what } = item.section
  // Where the text begins may follow from the structure alone.
  if (path.length > 0 || what === 'text') return 'structure'
  return what === 'all' ? 'octets' : 'header'
}
