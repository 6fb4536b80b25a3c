// Preloaded into a service with --import, it kills the process (kill -9) before each statement to the database that holds
// the text KILL_AT_TEXT and is given the value KILL_AT_VALUE: what one message does to whoever handles it.
import { isMainThread } from 'node:worker_threads'
import pg from 'pg'

const { KILL_AT_TEXT: text = '', KILL_AT_VALUE: fatal } = process.env

if (isMainThread && fatal !== undefined) {
  const query: (this: pg.Client, ...parameters: unknown[]) => unknown = pg.Client.prototype.query
  const watched = function (this: pg.Client, ...parameters: unknown[]): unknown {
    const [statement, second] = parameters as [string | { text?: string; values?: unknown[] } | undefined, unknown]
    const said = typeof statement === 'string' ? statement : (statement?.text ?? '')
    const values = typeof statement === 'object' && statement.values ? statement.values : second
    if (said.includes(text) && Array.isArray(values) && values.includes(fatal)) process.kill(process.pid, 'SIGKILL')
    return query.apply(this, parameters)
  }
  pg.Client.prototype.query = watched as typeof pg.Client.prototype.query
}
