import { sql } from 'kysely'
import type { Db } from '#/base/db/schema.ts'
import { appendEvents } from '#/base/event-log/append.ts'
import type { StoredOrganization } from '#test/world/organization/stored-organization.ts'

const changes = 25

/** Changes by name. */
export class Done {
  readonly acknowledged = new Set<string>()
  /** Without an answer: done or not. */
  readonly unknown = new Set<string>()
  readonly rolledBack = new Set<string>()
}

/** Four who tell of labels at the same time, in transactions that commit in another order than they begin, or are rolled back. */
export async function commitOutOfOrder(
  db: Db,
  { organizationId }: Pick<StoredOrganization, 'organizationId'>,
  { acknowledged, rolledBack }: Done,
): Promise<void> {
  const write = async (writer: number) => {
    for (let number = 0; number < changes; number++) {
      const name = `direct-${writer}-${number}`
      const fails = number % 4 === 3
      const writing = db.transaction().execute(async (tx) => {
        await appendEvents(tx, [{ organizationId, type: 'label.created', data: { id: null, name } }])
        for (let trips = Math.random() * 10; trips > 0; trips--) await sql`select`.execute(tx)
        if (fails) throw new Error('rolled back')
      })
      await writing.then(
        () => acknowledged.add(name),
        () => rolledBack.add(name),
      )
    }
  }
  await Promise.all([1, 2, 3, 4].map(write))
}
