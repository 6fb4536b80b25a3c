import pg from 'pg'

/**
 * Begins a transaction with its first statement, in one round trip. Both lie before one Sync (PostgreSQL protocol 3,
 * "Pipelining"): where `begin` fails, the statement is not run. `begin` is the name of that statement, prepared on the connection:
 * what is parsed in this round trip would be taken for the statement's own.
 */
export function queryAfterBegin(
  client: pg.ClientBase,
  begin: string,
  statement: pg.QueryConfig,
): Promise<pg.QueryResult> {
  const { promise, resolve, reject } = Promise.withResolvers<pg.QueryResult>()
  // Without values too: the simple protocol has a Sync of its own.
  const config = { ...statement, queryMode: 'extended' }
  const query = new pg.Query(config)
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
    // That of `begin` comes first.
    const [, result] = results as [pg.QueryResult, pg.QueryResult]
    resolve(result)
  }
  // Its types know neither of them together. What follows statements (src/tracing/statements.ts) looks for the callback here.
  client.query(query as unknown as pg.QueryConfig, answered)
  return promise
}
