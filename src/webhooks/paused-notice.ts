import type { Tx } from '#/db/schema.ts'

/** A webhook that Mailroom has paused. */
export interface PausedWebhook {
  /** As people know it. */
  readonly name: string
  readonly because: string
  /** Null where nothing has failed. */
  readonly failingSince: Date | null
}

/** Tells the owners that a webhook is paused (src/outbound/paused-notice.ts). */
export interface PausedNotice {
  /** Finds, outside of any transaction, what mail of the organization is sent from. What it answers puts a message to each owner
   *  into the outbound queue, with `tx`; none where the organization cannot send. */
  from(organizationId: string): Promise<(tx: Tx, paused: PausedWebhook) => Promise<void>>
  /** To be called once that is committed. */
  wake(): void
}
