import type { RawBuilder } from 'kysely'
import type { Lease, LeasedTable, Leases } from '#/base/db/leases.ts'
import type { Db } from '#/base/db/schema.ts'

/** A queue, and what the suite needs to know about it. */
export interface QueueUnderTest {
  readonly table: LeasedTable
  readonly leases: Leases
  /** The number of rows that one claim gets. */
  claim(db: Db): Promise<readonly Lease[]>
  /** Adds rows that are due, in this order, and answers their ids. */
  add(db: Db, count: number): Promise<Lease['id'][]>
  /** If a row has a state: what a claim and a release change in it. */
  readonly set?: { readonly claimed: RawBuilder<unknown>; readonly released: RawBuilder<unknown> }
  /** If claims are counted: the number of a row's claims, and of attempts that were cut short. */
  readonly counts?: 'attempts' | 'attempts and cut short'
  /** If a row becomes due by this call only, after its lease has ended. */
  reclaimExpired?(db: Db): Promise<unknown>
  /** If the queue is fair: adds rows of an organization. */
  addFor?(db: Db, organizationId: string, count: number): Promise<Lease['id'][]>
}
