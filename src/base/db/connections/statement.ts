import pg from 'pg'

/** A statement for node-postgres, with its name if it has one. Given as an object of options, it would be copied property by property
 *  with their descriptors, which takes ten times as long. */
export function statementOf(text: string, values: readonly unknown[], name?: string): pg.Query {
  const query = new pg.Query(text, [...values])
  return name === undefined ? query : Object.assign(query, { name })
}

/** Runs a statement. */
export async function answerTo<Row extends pg.QueryResultRow>(
  client: pg.ClientBase,
  statement: pg.Query,
): Promise<pg.QueryResult<Row>> {
  const { promise, resolve, reject } = Promise.withResolvers<pg.QueryResult<Row>>()
  const answered = (error: Error | null, result: pg.QueryResult<Row>) => (error ? reject(error) : resolve(result))
  // The types of pg do not know the two together. Tracing (src/app/tracing/statements.ts) looks for the callback here.
  client.query(statement as unknown as pg.QueryConfig, answered)
  try {
    return await promise
  } catch (error) {
    // The stack of the caller, in place of that of the socket.
    if (error instanceof Error) Error.captureStackTrace(error)
    throw error
  }
}
