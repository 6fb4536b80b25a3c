import { withMethods } from '#/base/with-methods.ts'
import type { Relay } from '#/out/relay/relay.ts'
import { replyTo } from '#/smtp/protocol/internal-error.ts'
import type { MailHandler } from '#/smtp/protocol/mail-handler.ts'
import { Rejection } from '#/smtp/protocol/reply.ts'
import type { Metrics } from './metrics.ts'

/** Counts the result for each recipient of a relay. */
export function measuredRelay(relay: Relay, { attempts }: Metrics): Relay {
  return withMethods(relay, (name, method) => {
    if (name !== 'deliver') return method.bind(relay)
    return async (...given: Parameters<Relay['deliver']>) => {
      const outcomes = await relay.deliver(...given)
      for (const { result } of outcomes) attempts.inc({ result })
      return outcomes
    }
  })
}

/** Counts refused recipients, and measures the duration and result of each arriving message. */
export function measuredHandler(handler: MailHandler, { messages, refusedRecipients }: Metrics): MailHandler {
  const outcomeOf = (error: unknown) => (error instanceof Rejection ? 'refused' : 'failed')
  return {
    async admit(sender, recipient) {
      try {
        return await handler.admit(sender, recipient)
      } catch (error) {
        const { status } = replyTo(error)
        refusedRecipients.inc({ status })
        throw error
      }
    },
    async receive(envelope, bytes) {
      const timed = messages.startTimer()
      try {
        const answer = await handler.receive(envelope, bytes)
        timed({ outcome: 'stored' })
        return answer
      } catch (error) {
        timed({ outcome: outcomeOf(error) })
        throw error
      }
    },
  }
}
