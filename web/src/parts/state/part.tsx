import { CatchBoundary } from '@tanstack/react-router'
import { type ReactNode, Suspense } from 'react'
import { NotLoaded, recover } from './loading-parts.ts'
import { toasts } from './toasts.ts'

interface Props {
  /** Its name in a toast: "The editor". */
  readonly name: string
  /** Shown while it is loading. */
  readonly loading?: ReactNode
  /** Called if it cannot be shown. */
  readonly onFailed?: () => void
  readonly children: ReactNode
}

/** A part of a page that is loaded when first needed. If it cannot be loaded the page is loaded again, unless the service does not
 *  answer. Until then, or if the part fails, the rest of the page stays. */
export function Part({ name, loading, onFailed, children }: Props) {
  const onCatch = (error: unknown) => {
    onFailed?.()
    if (error instanceof NotLoaded) void recover().then((found) => sayNotLoaded(name, found))
    else sayFailed(`${name} failed: ${error}`)
  }
  return (
    <CatchBoundary getResetKey={() => name} onCatch={onCatch} errorComponent={() => null}>
      <Suspense fallback={loading}>{children}</Suspense>
    </CatchBoundary>
  )
}

function sayNotLoaded(name: string, found: Awaited<ReturnType<typeof recover>>): void {
  const why = found === 'no answer' ? ': the service cannot be reached' : ''
  sayFailed(`${name} could not be loaded${why}.`, () => {
    void recover({ isAsked: true }).then((now) => sayNotLoaded(name, now))
  })
}

function sayFailed(text: string, again = () => location.reload()): void {
  toasts.add({ text, failed: true, action: { name: 'Load the page again', run: again } })
}
