import type pg from 'pg'

/** Begins a transaction with its first statement, in one round trip. Both come before one Sync (PostgreSQL protocol 3,
 *  "Pipelining"): if `begin` fails, the statement is not run. `begin` is a statement prepared on the connection: a parse in
 *  this round trip would be taken for that of the first statement. */
export function queryAfterBegin(client: pg.ClientBase, begin: string, statement: pg.Query): Promise<pg.QueryResult> {
  const { promise, resolve, reject } = Promise.withResolvers<pg.QueryResult>()
  // Also without values: the simple protocol would send a Sync of its own.
  const query = Object.assign(statement, { queryMode: 'extended' })
  const { submit } = query
  query.submit = (connection) => {
    connection.stream.cork()
    try {
      connection.bind({ statement: begin }, true)
      connection.execute(null, true)
      return submit.call(query, connection)
    } finally {
      connection.stream.uncork()
    }
  }
  const answered = (error: Error | null, results: unknown) => {
    if (error) return reject(error)
    // The reply to `begin` comes first.
    const [, result] = results as [pg.QueryResult, pg.QueryResult]
    resolve(result)
  }
  // The types of pg do not know the two together. Tracing (src/app/tracing/statements.ts) looks for the callback here.
  client.query(query as unknown as pg.QueryConfig, answered)
  return promise
}
