// In place of src/base/event-log/append.ts where a bench asks what the event log costs: the same names, and no events.
import { type RawBuilder, sql } from 'kysely'
import { SqlPart } from '#/base/db/query.ts'

export const insertReceived = new SqlPart('received_logged as (select)')

export const insertNewEvents = new SqlPart('select from new_events where false')

export const insertReached = new SqlPart('reached_logged as (select)')

export function insertNewEventsBy(): RawBuilder<unknown> {
  return sql`select from new_events where false`
}

export async function appendEvents(): Promise<void> {}
