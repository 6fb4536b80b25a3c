import { Refusal } from '#/errors.ts'

/** What went wrong, for who runs a command. */
export function errorText(error: unknown): string {
  if (error instanceof Refusal) {
    const { message, fix, cause } = error
    // An operator can do something about why.
    if (error.code === 'mail_unavailable' && cause instanceof Error) return `${message}. ${errorText(cause)}`
    return fix === undefined ? message : `${message}. ${fix}`
  }
  if (!(error instanceof Error)) return String(error)
  // A connection that was refused on every address of a host is an AggregateError without words of its own.
  const { code } = error as NodeJS.ErrnoException
  return (
    error.message || (error instanceof AggregateError && error.errors.map(errorText).join('; ')) || code || error.name
  )
}
