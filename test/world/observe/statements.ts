import pg from 'pg'

export interface Statement {
  readonly text: string
  readonly values: unknown
  /** The connection that it goes over. */
  readonly client: pg.Client
}

/** Called before a statement is sent; what it answers is called once the server has answered, with its error if it refused. */
export type Watcher = (statement: Statement) => ((error: unknown) => void) | undefined

const watchers = new Set<Watcher>()
let isWatched = false

/** Has each statement of this process to a database seen, whoever makes it. */
export function watchStatements(watcher: Watcher): Disposable {
  if (!isWatched) watch()
  watchers.add(watcher)
  return { [Symbol.dispose]: () => void watchers.delete(watcher) }
}

/** Resolves once the database has answered a statement with that text. */
export async function onceAnswered(text: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  using _watched = watchStatements((one) =>
    one.text.includes(text) ? (error) => void (error || resolve()) : undefined,
  )
  await promise
}

function watch(): void {
  isWatched = true
  const query: (this: pg.Client, ...parameters: unknown[]) => unknown = pg.Client.prototype.query
  pg.Client.prototype.query = function (this: pg.Client, ...parameters: unknown[]): unknown {
    const [first, second] = parameters as [string | { text?: string; values?: unknown } | undefined, unknown]
    const { text = '', values = second } = typeof first === 'object' ? first : { text: first }
    const after = [...watchers].flatMap((watcher) => watcher({ text, values, client: this }) ?? [])
    if (after.length === 0) return query.apply(this, parameters)
    const answered = (error: unknown) => {
      for (const one of after) one(error)
    }
    const callback = parameters.at(-1)
    if (typeof callback === 'function') {
      const both = (error: unknown, ...rest: unknown[]) => {
        answered(error)
        callback(error, ...rest)
      }
      return query.apply(this, parameters.with(-1, both))
    }
    const answer = query.apply(this, parameters)
    Promise.resolve(answer).then(() => answered(undefined), answered)
    return answer
  } as typeof pg.Client.prototype.query
}
