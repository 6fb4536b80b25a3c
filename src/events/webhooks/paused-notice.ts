import type { Tx } from '#/base/db/schema.ts'

/** A webhook that Mailroom has paused. */
export interface PausedWebhook {
  /** Its name for people. */
  readonly name: string
  readonly because: string
  /** Null if nothing has failed. */
  readonly failingSince: Date | null
}

/** Informs the owners that a webhook is paused (src/events/webhooks/paused-mail.ts). */
export interface PausedNotice {
  /** Finds, outside any transaction, the sender of the organization's mail. The result enqueues, with `tx`, a message to
   *  each owner; none if the organization cannot send. */
  from(organizationId: string): Promise<(tx: Tx, paused: PausedWebhook) => Promise<void>>
  /** To be called after the commit. */
  wake(): void
}
