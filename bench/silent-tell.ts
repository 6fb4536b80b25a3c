// In place of src/events/tell.ts where a bench asks what the event log costs: the same names, and no events.
import { type RawBuilder, sql } from 'kysely'
import { Part } from '#/db/query.ts'

export const tellsReceived = new Part('told as (select)')

export const tellsTold = new Part('select from told where false')

export const tellsReached = new Part('reached_told as (select)')

export function tellsBy(): RawBuilder<unknown> {
  return sql`select from told where false`
}

export async function tell(): Promise<void> {}
