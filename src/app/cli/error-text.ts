import { UnfitDatabase } from '#/base/db/migrate.ts'
import { Refusal } from '#/base/errors.ts'

/** An error in words for the operator. */
export function errorText(error: unknown): string {
  if (error instanceof Refusal) {
    const { message, fix, cause } = error
    // The operator can remove the cause.
    if (error.code === 'mail_unavailable' && cause instanceof Error) return `${message}. ${errorText(cause)}`
    return fix === undefined ? message : `${message}. ${fix}`
  }
  if (error instanceof UnfitDatabase) return `${error.message}. ${error.fix}`
  if (!(error instanceof Error)) return String(error)
  // A connection that was refused on every address of a host is an AggregateError without a message.
  const { code } = error as NodeJS.ErrnoException
  return (
    error.message || (error instanceof AggregateError && error.errors.map(errorText).join('; ')) || code || error.name
  )
}
