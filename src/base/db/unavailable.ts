import pg from 'pg'

/** SQLSTATEs of a server that is gone, stops or starts, has no resources left, cannot use its disk or may not be written to, and of a
 *  statement or lock that took too long (PostgreSQL's appendix A). */
const refusing = /^(?:08|53|57P|58|25006|55P03|57014)/
/** What the system or the resolver says of a server that is not there. */
const away = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH'],
  ...['ENOTFOUND', 'EAI_AGAIN'],
])
/** What node-postgres, Kysely and we say of a connection that ended or did not come about, without a code. */
const lost =
  /^Connection terminated|^timeout (?:exceeded|expired)|is not queryable$|^The database has been closed$|^driver has already been destroyed$|^Cannot use a pool after calling end/

/** Whether an error of the database says that it cannot be used at the moment, and not that a statement is wrong. If a connection was lost
 *  at a commit, the change may have been made. */
export function isUnavailable(error: unknown): boolean {
  // Whom a server lets in or keeps is told so by nothing fatal.
  if (error instanceof pg.DatabaseError) return error.severity === 'FATAL' || refusing.test(error.code ?? '')
  const errors: unknown[] = error instanceof AggregateError ? error.errors : [error]
  return errors.some((one) => {
    if (!(one instanceof Error)) return false
    return ('code' in one && away.has(String(one.code))) || lost.test(one.message)
  })
}
