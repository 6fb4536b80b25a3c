// Preloaded into a service with --import, it kills the process (kill -9, or KILL_WITH another signal) at a step of its
// work, which is a statement to the database: the last of those that KILL_AT_STATEMENT names (a JSON array of texts that
// statements hold, to come one after the other), before it is sent or after it was answered as KILL_WHEN says.
import { isMainThread } from 'node:worker_threads'
import pg from 'pg'

const steps: string[] = JSON.parse(process.env.KILL_AT_STATEMENT ?? '[]')
const die = () => process.kill(process.pid, process.env.KILL_WITH ?? 'SIGKILL')

if (isMainThread && steps.length > 0) {
  const query: (this: pg.Client, ...parameters: unknown[]) => unknown = pg.Client.prototype.query
  const watched = function (this: pg.Client, ...parameters: unknown[]): unknown {
    const [statement] = parameters as [string | { text?: string } | undefined]
    const text = typeof statement === 'string' ? statement : (statement?.text ?? '')
    const [step] = steps
    if (step === undefined || !text.includes(step)) return query.apply(this, parameters)
    steps.shift()
    if (steps.length > 0) return query.apply(this, parameters)
    if (process.env.KILL_WHEN === 'before') die()
    const answer = Promise.resolve(query.apply(this, parameters))
    if (process.env.KILL_WHEN === 'after') answer.then(die)
    return answer
  }
  pg.Client.prototype.query = watched as typeof pg.Client.prototype.query
}
