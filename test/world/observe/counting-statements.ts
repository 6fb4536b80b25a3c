import type { KyselyPlugin, RootOperationNode } from 'kysely'
import type { Db } from '#/base/db/schema.ts'

/** The same database, and how many statements were made through it that name the table or function. */
export function countingStatements(db: Db, name: string): { db: Db; count: () => number } {
  let count = 0
  const named = new RegExp(`\\b${name}\\b`)
  const names = (node: RootOperationNode) => named.test(JSON.stringify(node))
  const counter: KyselyPlugin = {
    transformQuery: ({ node }) => {
      if (names(node)) count++
      return node
    },
    transformResult: async ({ result }) => result,
  }
  return { db: db.withPlugin(counter), count: () => count }
}
