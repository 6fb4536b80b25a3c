import type { TestContext } from 'node:test'
import type { CompiledQuery, QueryResult } from 'kysely'
import type { Db } from '#/base/db/schema.ts'

type Ask = () => Promise<QueryResult<unknown>>

/** Has statements with that text that are asked for outside of transactions answered so. No connection is held meanwhile. */
export function answering(t: TestContext, db: Db, text: string, answer: (ask: Ask) => Promise<QueryResult<unknown>>) {
  const executor = db.getExecutor()
  const ask = executor.executeQuery.bind(executor)
  let count = 0
  const { mock } = t.mock.method(executor, 'executeQuery', async (asked: CompiledQuery<unknown>) => {
    if (!asked.sql.includes(text)) return ask(asked)
    count++
    return answer(() => ask(asked))
  })
  return { count: () => count, restore: () => mock.restore() }
}

/** Has this happen beside the next statement with that text: before it is asked for, or once it is answered. */
export function meanwhile(
  t: TestContext,
  db: Db,
  text: string,
  { before, after }: { readonly before?: () => Promise<unknown>; readonly after?: () => Promise<unknown> },
): void {
  const { restore } = answering(t, db, text, async (ask) => {
    restore()
    await before?.()
    const answer = await ask()
    await after?.()
    return answer
  })
}
