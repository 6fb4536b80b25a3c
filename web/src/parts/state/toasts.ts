import type { ReactNode } from 'react'
import { UNSTABLE_ToastQueue as ToastQueue } from 'react-aria-components/Toast'

/** The result of an action. */
export interface Said {
  readonly text: string
  readonly failed?: boolean
  /** Progress, shown below the text. */
  readonly detail?: ReactNode
  readonly action?: { readonly name: string; readonly run: () => void }
}

/** Toasts, each shown for a while. */
export const toasts = new ToastQueue<Said>({ maxVisibleToasts: 3 })

const lastWithAction = () => toasts.visibleToasts.find(({ content }) => content.action !== undefined)

/** Whether a shown toast has an action, as undo. */
export const hasLastAction = () => lastWithAction() !== undefined

/** Runs the action of the newest toast that has one. */
export function runLastAction(): void {
  const last = lastWithAction()
  if (!last) return
  toasts.close(last.key)
  last.content.action?.run()
}

/** Reports that a change failed which was already shown as done. */
export function sayFailure(error: unknown): void {
  const reason = error instanceof Error ? error.message : String(error)
  toasts.add({ text: `That failed: ${reason}`, failed: true }, { timeout: 10_000 })
}
