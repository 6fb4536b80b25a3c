// In place of src/base/event-log/append.ts where a bench asks what the event log costs: the same names, and no events.
import { type RawBuilder, sql } from 'kysely'
import { relation } from '#/base/db/relation.ts'

export const newEvents = relation('new_events')

export const receivedEvents = relation('received')

export const reachedEvents = relation('reached')

export const insertReceived = sql`received_logged as (select)`

export const insertNewEvents = sql`select from new_events where false`

export const insertReached = sql`reached_logged as (select)`

export function insertNewEventsBy(): RawBuilder<unknown> {
  return sql`select from new_events where false`
}

export async function appendEvents(): Promise<void> {}
