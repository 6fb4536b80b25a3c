import type { Logger } from 'pino'
import type { Outcome } from '#/ports/relay.ts'
import type { Held } from './held.ts'

/** A line for each recipient that a message was tried for. */
export function logOutcomes(log: Logger, message: Held, outcomes: readonly Outcome[]): void {
  for (const { recipient, result, status, reply, host } of outcomes) {
    log.info(
      { message: message.id, organization_id: message.organizationId, recipient, result, status, reply, host },
      'mail out',
    )
  }
}
