import { CatchBoundary } from '@tanstack/react-router'
import { type ReactNode, Suspense } from 'react'
import { toasts } from './toasts.ts'

interface Props {
  /** Its name in a toast: "The editor". */
  readonly name: string
  /** Shown while it is loading. */
  readonly loading?: ReactNode
  readonly children: ReactNode
}

/** A part of a page that is loaded when first needed. If it cannot be loaded, or fails, the rest of the page stays. */
export function Part({ name, loading, children }: Props) {
  const sayIt = (error: unknown) => {
    const text = isOfLoading(error) ? `${name} could not be loaded. ${notLoaded}` : `${name} failed: ${error}`
    toasts.add({ text, failed: true, action: { name: 'Load the page again', run: () => location.reload() } })
  }
  return (
    <CatchBoundary getResetKey={() => name} onCatch={sayIt} errorComponent={() => null}>
      <Suspense fallback={loading}>{children}</Suspense>
    </CatchBoundary>
  )
}

export const notLoaded = 'You are offline, or the service was upgraded meanwhile.'

/** Whether a script could not be loaded, by the messages of Chromium, Firefox and Safari. */
export function isOfLoading(error: unknown): boolean {
  return error instanceof Error && /dynamically imported module|importing a module script/i.test(error.message)
}
