import type { KyselyPlugin, RootOperationNode } from 'kysely'
import type { Db } from '#/db/schema.ts'

/** The same database, and how many statements were made through it that name the table. */
export function countingStatements(db: Db, table: string): { db: Db; count: () => number } {
  let count = 0
  const names = (node: RootOperationNode) => JSON.stringify(node).includes(`"${table}"`)
  const counter: KyselyPlugin = {
    transformQuery: ({ node }) => {
      if (names(node)) count++
      return node
    },
    transformResult: async ({ result }) => result,
  }
  return { db: db.withPlugin(counter), count: () => count }
}
