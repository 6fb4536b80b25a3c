import { SpanKind } from '@opentelemetry/api'
import pg from 'pg'
import { fail, type Tracing } from './tracing.ts'

type Query = (this: pg.Client, ...given: unknown[]) => unknown

/**
 * Traces every statement within a traced operation, on any connection. A span has the statement's verb and table, and nothing
 * else. Disposing it ends that.
 */
export function followStatements(tracing: Tracing): Disposable {
  const prototype = pg.Client.prototype as unknown as { query: Query }
  const { query } = prototype
  const followed: Query = function (...given) {
    const text = textOf(given[0])
    if (text === undefined || !tracing.follows) return Reflect.apply(query, this, given)
    const span = tracing.begin(summary(text), { kind: SpanKind.CLIENT, attributes: { 'db.system.name': 'postgresql' } })
    const ended = (error?: unknown) => {
      if (error) fail(span, error)
      span.end()
    }
    const last = given.at(-1)
    if (typeof last === 'function') {
      const callback = (error: unknown, ...rest: unknown[]) => {
        ended(error)
        last(error, ...rest)
      }
      return Reflect.apply(query, this, given.with(-1, callback))
    }
    const answer = Reflect.apply(query, this, given)
    if (answer instanceof Promise) answer.then(() => ended(), ended)
    else ended()
    return answer
  }
  prototype.query = followed
  return {
    [Symbol.dispose]() {
      if (prototype.query === followed) prototype.query = query
    },
  }
}

function textOf(statement: unknown): string | undefined {
  const text = typeof statement === 'object' ? (statement as { text?: unknown } | null)?.text : statement
  return typeof text === 'string' ? text : undefined
}

/** `update mail_messages`: the first verb, and the first table after it. */
function summary(text: string): string {
  const verb = /\b(?:select|insert|update|delete|begin|commit|rollback|set|lock|fetch|declare)\b/i.exec(text)
  if (!verb) return 'statement'
  const table = /\b(?:from|into|update)\s+(?:only\s+)?"?([a-z_]\w*)"?/i.exec(text.slice(verb.index))
  return [verb[0], table?.[1]]
    .filter((word) => word !== undefined)
    .join(' ')
    .toLowerCase()
}
