import { sql } from 'kysely'
import type pg from 'pg'
import type { Db, Tx } from '#/base/db/schema.ts'
import { watchStatements } from '#test/world/observe/statements.ts'

/** Runs `waiting` while a transaction has done its `work`, and once so many statements of `waiting` wait for it does its `last` and commits.
 *  The server tells each that it waits. Needs a connection for each: a server. */
export async function whileHeld<Result>(
  db: Db,
  work: (tx: Tx) => Promise<unknown>,
  waiting: () => Result | Promise<Result>,
  { count = 1, last = async () => {} }: { count?: number; last?: (tx: Tx) => Promise<unknown> } = {},
): Promise<Result> {
  const { result } = await db.transaction().execute(async (tx) => {
    await work(tx)
    let told = Promise.withResolvers<void>()
    const tell = () => told.resolve()
    const heard = new Set<pg.Client>()
    using _watched = watchStatements(({ client }) => {
      if (!heard.has(client)) client.on('notice', tell)
      heard.add(client)
      return undefined
    })
    const result = waiting()
    while ((await waitingFor(tx)) < count) {
      await told.promise
      told = Promise.withResolvers()
    }
    for (const client of heard) client.off('notice', tell)
    await last(tx)
    return { result }
  })
  return await result
}

/** How many connections wait for this one, or for another that waits for it. */
async function waitingFor(tx: Tx): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with recursive waiting (pid) as (
      select pg_backend_pid()
      union
      select other.pid from pg_locks other, waiting
      where not other.granted and waiting.pid = any (pg_blocking_pids(other.pid))
    )
    select count(*)::integer - 1 as count from waiting`.execute(tx)
  return rows[0]?.count ?? 0
}
