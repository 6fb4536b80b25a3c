import type { ReactNode } from 'react'
import { UNSTABLE_ToastQueue as ToastQueue } from 'react-aria-components/Toast'

/** Something that was done, or failed. */
export interface Said {
  readonly text: string
  readonly failed?: boolean
  /** Below the text: how far it is. */
  readonly detail?: ReactNode
  readonly action?: { readonly name: string; readonly run: () => void }
}

/** What is said beside the page for a while. */
export const toasts = new ToastQueue<Said>({ maxVisibleToasts: 3 })

const lastWithAction = () => toasts.visibleToasts.find(({ content }) => content.action !== undefined)

/** Whether something that was done last can be undone. */
export const hasLastAction = () => lastWithAction() !== undefined

/** Runs the action of the last that has one, as its button does. */
export function runLastAction(): void {
  const last = lastWithAction()
  if (!last) return
  toasts.close(last.key)
  last.content.action?.run()
}

/** Says that what was done at once has failed after all. */
export function sayFailure(error: unknown): void {
  const reason = error instanceof Error ? error.message : String(error)
  toasts.add({ text: `That failed: ${reason}`, failed: true }, { timeout: 10_000 })
}
