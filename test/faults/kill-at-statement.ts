// Preloaded into a service with --import, it kills the process (kill -9) at a step of its work, which is a statement to
// the database: the last of those that KILL_AT_STATEMENT names (a JSON array of texts that statements hold, to come one
// after the other), before it is sent or after it was answered as KILL_WHEN says.
import { isMainThread } from 'node:worker_threads'
import pg from 'pg'

const steps: string[] = JSON.parse(process.env.KILL_AT_STATEMENT ?? '[]')
const die = () => process.kill(process.pid, 'SIGKILL')

if (isMainThread && steps.length > 0) {
  const query: (this: pg.Client, ...parameters: unknown[]) => unknown = pg.Client.prototype.query
  const watched = function (this: pg.Client, ...parameters: unknown[]): unknown {
    const [statement] = parameters as [string | { text?: string } | undefined]
    const text = typeof statement === 'string' ? statement : (statement?.text ?? '')
    if (!text.includes(steps[0] ?? '')) return query.apply(this, parameters)
    steps.shift()
    if (steps.length > 0) return query.apply(this, parameters)
    pg.Client.prototype.query = query as typeof pg.Client.prototype.query
    if (process.env.KILL_WHEN === 'before') die()
    return Promise.resolve(query.apply(this, parameters)).then(die)
  }
  pg.Client.prototype.query = watched as typeof pg.Client.prototype.query
}
