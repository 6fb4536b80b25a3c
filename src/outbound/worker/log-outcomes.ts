import type { Logger } from 'pino'
import type { Outcome } from '#/ports/relay.ts'
import type { QueuedMessage } from '#/queue/message.ts'

/** A line for each recipient that a message was tried for; it names nobody where whom it is for is a secret. */
export function logOutcomes(log: Logger, message: QueuedMessage, outcomes: readonly Outcome[]): void {
  for (const { recipient, result, status, reply, host } of outcomes) {
    const about = message.concealed ? { result, status } : { recipient, result, status, reply, host }
    log.info({ message: message.id, organization_id: message.organizationId, ...about }, 'mail out')
  }
}
