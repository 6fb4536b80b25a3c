import { Kysely, PostgresDialect, type PostgresPoolClient } from 'kysely'
import type { Database } from '#/base/db/open.ts'
import type { Schema } from '#/base/db/schema.ts'

const writes = /\b(?:insert|update|delete|commit)\b/i

/** The death of a process, as its own code sees it. */
export class Dead extends Error {}

/** A database as one process has it that dies at the n-th of its statements that write or commit, before the server gets that; or at the n-th of
 *  those after which what was written stays, once the server has done it: after others the database is as before the next. From then on nothing of
 *  the process reaches the database, which rolls back what is open. */
export class MortalDatabase {
  readonly db: Kysely<Schema>
  /** Statements so far. */
  statements = 0

  constructor({ pool }: Pick<Database, 'pool'>, at: number, when: 'before' | 'after') {
    const alive = async <T>(counts: boolean, statement: () => Promise<T>): Promise<T> => {
      if (this.statements < at && !counts) return statement()
      this.statements++
      if (this.statements > at || (this.statements === at && when === 'before')) throw new Dead('the process is dead')
      const done = await statement()
      if (this.statements === at) throw new Dead('the process is dead')
      return done
    }
    const connect = async () => {
      if (this.statements >= at) throw new Dead('the process is dead')
      const client = await pool.connect()
      let open = false
      const query = (...given: Parameters<PostgresPoolClient['query']>) => {
        const run = () => (client.query as (...all: unknown[]) => Promise<unknown>)(...given)
        const text = String(given[0])
        if (text === 'begin' || text === 'commit') open = text === 'begin'
        const counts = writes.test(text) && (when === 'before' || !open)
        return text === 'rollback' ? run() : alive(counts, run)
      }
      return { query, release: () => client.release() } as unknown as PostgresPoolClient
    }
    this.db = new Kysely<Schema>({
      dialect: new PostgresDialect({ pool: { connect, end: async () => {}, options: pool.options } }),
    })
  }
}
