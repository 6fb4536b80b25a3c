import type { Lease, LeasedTable, Leases } from '#/db/leases.ts'
import type { Db } from '#/db/schema.ts'

/** A queue, and what else the suite has to know of it. */
export interface QueueUnderTest {
  readonly table: LeasedTable
  readonly leases: Leases
  prepare?(db: Db): Promise<void>
  /** What a process claims at a time. */
  claim(db: Db): Promise<readonly Lease[]>
  /** Adds rows that are due, in this order, and answers their ids. */
  add(db: Db, count: number): Promise<Lease['id'][]>
  /** Where claims are counted: how often a row was claimed, and how many of these attempts were cut short. */
  readonly counts?: 'attempts' | 'attempts and cut short'
  /** Where a row comes back only from there after its lease has ended. */
  reclaimExpired?(db: Db): Promise<unknown>
  /** Where organizations wait for each other: adds such rows for an organization. */
  addFor?(db: Db, organizationId: string, count: number): Promise<Lease['id'][]>
}
