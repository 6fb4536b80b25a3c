import type { Logger } from 'pino'
import type { QueuedMessage } from '#/out/queue/message.ts'
import type { Outcome } from '#/out/relay/relay.ts'

/** Logs a line for each recipient of an attempt. It names none of a concealed message. */
export function logOutcomes(log: Logger, message: QueuedMessage, outcomes: readonly Outcome[]): void {
  for (const { recipient, result, status, reply, host } of outcomes) {
    const about = message.concealed ? { result, status } : { recipient, result, status, reply, host }
    log.info({ message: message.id, organization_id: message.organizationId, ...about }, 'mail out')
  }
}
