import type { WholeChange } from '../../api/generated.ts'
import { count } from '../../parts/text/size.ts'

type Undone = Pick<WholeChange, 'state' | 'error' | 'left_alone' | 'left'>

const reasons = {
  gone: 'no longer there',
  moved: 'moved elsewhere since',
  changed: 'changed since',
  refused: 'refused by the mail server',
} as const

/** In words: which messages were not restored, and why. */
export function undoneText(undone: readonly Undone[]): string {
  if (undone.some(({ state }) => state === 'running')) return 'Undoing continues in the background'
  const failed = undone.find(({ state }) => state === 'failed')
  if (failed) return `Undone only in part: ${failed.error ?? 'the log of the server says why'}`
  const left = undone.reduce((sum, one) => sum + one.left_alone, 0)
  if (left === 0) return 'Undone'
  const why = new Set(undone.flatMap((one) => one.left.map(({ reason }) => reasons[reason])))
  return `Undone, but for ${left === 1 ? 'a message' : `${count(left)} messages`}: ${[...why].join(', ')}`
}
