import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Db, Tx } from '#/db/schema.ts'

/** Runs `waiting` while a transaction has done its `work`, and once so many statements of `waiting` wait for it does its `last` and commits.
 *  They wait for as long as it takes, and the server alone knows that they do, so it is asked. Needs a connection for each: a server. */
export async function whileHeld<Result>(
  db: Db,
  work: (tx: Tx) => Promise<unknown>,
  waiting: () => Result | Promise<Result>,
  { count = 1, last = async () => {} }: { count?: number; last?: (tx: Tx) => Promise<unknown> } = {},
): Promise<Result> {
  const { result } = await db.transaction().execute(async (tx) => {
    await work(tx)
    const result = waiting()
    while ((await waitingFor(tx)) < count) await pause(20)
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
