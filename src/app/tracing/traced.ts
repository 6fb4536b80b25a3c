import { SpanKind } from '@opentelemetry/api'
import { withMethods } from '#/base/with-methods.ts'
import type { Relay } from '#/out/relay/relay.ts'
import { replyTo } from '#/smtp/protocol/internal-error.ts'
import type { MailHandler } from '#/smtp/protocol/mail-handler.ts'
import type { Tracing } from './tracing.ts'

/** Adds a span to each delivery of a relay, with the number of recipients for each result. */
export function tracedRelay(relay: Relay, tracing: Tracing): Relay {
  return withMethods(relay, (name, method) => {
    if (name !== 'deliver') return method.bind(relay)
    return (...given: Parameters<Relay['deliver']>) =>
      tracing.span('outbound delivery', { kind: SpanKind.CLIENT }, async (span) => {
        const outcomes = await relay.deliver(...given)
        for (const [result, of = []] of Object.entries(Object.groupBy(outcomes, ({ result }) => result)))
          span.setAttribute(`mailroom.recipients.${result}`, of.length)
        return outcomes
      })
  })
}

/** Adds a span to each arriving recipient and message. */
export function tracedHandler(handler: MailHandler, tracing: Tracing): MailHandler {
  const arrival = <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const span = tracing.begin(name, { kind: SpanKind.SERVER })
    const ended = (status: string) => span.setAttribute('mailroom.smtp.status', status).end()
    const refused = (error: unknown): never => {
      ended(replyTo(error).status)
      throw error
    }
    return tracing.within(span, work).then((answer) => {
      ended('2.0.0')
      return answer
    }, refused)
  }
  return {
    admit: (sender, recipient) => arrival('arriving recipient', () => handler.admit(sender, recipient)),
    receive: (envelope, bytes) => arrival('arriving message', () => handler.receive(envelope, bytes)),
  }
}
