import type { ConnectionProvider, DatabaseConnection, QueryExecutorProvider } from 'kysely'
import type { Lanes } from './connections/lanes.ts'
import type { Db } from './schema.ts'

const executorsOf = new WeakMap<Db, QueryExecutorProvider>()

/** From now on what is executed by `short` outside a transaction uses these lanes. */
export function useLanes(db: Db, lanes: Lanes): void {
  const connection: DatabaseConnection = {
    async executeQuery<Row>({ sql, parameters }: Parameters<DatabaseConnection['executeQuery']>[0]) {
      const { rows, rowCount } = await lanes.query(sql, parameters)
      return { rows: rows as Row[], numAffectedRows: BigInt(rowCount ?? 0) }
    },
    streamQuery() {
      throw new Error('What is short is not streamed')
    },
  }
  const provider: ConnectionProvider = { provideConnection: (consumer) => consumer(connection) }
  const executor = db.getExecutor().withConnectionProvider(provider)
  executorsOf.set(db, { getExecutor: () => executor })
}

/** Where to execute a short statement that is part of many requests: outside a transaction on a connection that it shares, if there are
 *  lanes. Not for what may wait for a lock, or reads much: what is behind it would wait too. */
export function short(db: Db): QueryExecutorProvider {
  return executorsOf.get(db) ?? db
}
