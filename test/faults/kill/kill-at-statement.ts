// Preloaded into a service with --import, it kills the process (kill -9, or KILL_WITH another signal) at a step of its
// work, which is a statement to the database: the last of those that KILL_AT_STATEMENT names (a JSON array of texts that
// statements hold, to come one after the other), before it is sent or after it was answered as KILL_WHEN says. A `commit`
// counts on the connection of the statement before it: other transactions end beside it. With KILL_ABOUT only statements
// count that are given this text in a parameter.
import { isMainThread } from 'node:worker_threads'
import pg from 'pg'

const { KILL_ABOUT: about, KILL_WHEN: when, KILL_WITH: signal = 'SIGKILL' } = process.env
const steps: string[] = JSON.parse(process.env.KILL_AT_STATEMENT ?? '[]')
const die = () => process.kill(process.pid, signal)

if (isMainThread && steps.length > 0) {
  const query: (this: pg.Client, ...parameters: unknown[]) => unknown = pg.Client.prototype.query
  let last: pg.Client | undefined
  const watched = function (this: pg.Client, ...parameters: unknown[]): unknown {
    const [statement, second] = parameters as [string | { text?: string; values?: unknown } | undefined, unknown]
    const { text = '', values = second } = typeof statement === 'object' ? statement : { text: statement }
    const [step] = steps
    const counts = step === 'commit' ? text === step && this === last : step !== undefined && text.includes(step)
    if (!counts || !isAbout(values)) return query.apply(this, parameters)
    steps.shift()
    last = this
    if (steps.length > 0) return query.apply(this, parameters)
    if (when === 'before') die()
    const callback = parameters.at(-1)
    if (when === 'after' && typeof callback === 'function') {
      const answered = (error: unknown, ...rest: unknown[]) => {
        if (!error) die()
        callback(error, ...rest)
      }
      return query.apply(this, parameters.with(-1, answered))
    }
    const answer = query.apply(this, parameters)
    if (when === 'after') Promise.resolve(answer).then(die)
    return answer
  }
  pg.Client.prototype.query = watched as typeof pg.Client.prototype.query
}

function isAbout(value: unknown): boolean {
  if (about === undefined) return true
  if (Array.isArray(value)) return value.some(isAbout)
  return typeof value === 'string' && value.includes(about)
}
