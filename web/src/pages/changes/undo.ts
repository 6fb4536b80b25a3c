import { undoChange, type WholeChange } from '../../api/generated.ts'
import { toasts } from '../../parts/state/toasts.ts'
import { undoneText } from './undone-text.ts'

/** How long an undo is offered, in milliseconds. After that, the page Recent changes has it, for 30 days. */
export const undoable = 10_000

/** Undoes changes, one after the other. */
export async function undo(ids: readonly string[]): Promise<WholeChange[]> {
  const undone: WholeChange[] = []
  for (const id of ids) undone.push(await undoChange(id))
  return undone
}

/** Shows the result. A toast that lists skipped messages stays longer. */
export function sayUndone(undone: readonly WholeChange[]): void {
  const text = undoneText(undone)
  toasts.add({ text }, { timeout: text === 'Undone' ? 5_000 : 20_000 })
}
