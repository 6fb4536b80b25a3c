import type { App } from '#/http/app-type.ts'
import { batchRoute } from './batch.ts'
import { outgoing } from './outgoing.ts'
import { bodyLimit, SendRequest, Sent } from './schemas.ts'
import { type ReadyMessage, type SendDependencies, sendOnce } from './send.ts'

/** `POST /v1/send`, for one message and for several. */
export function sendingRoutes<Ready extends ReadyMessage>(app: App, parts: SendDependencies<Ready>): void {
  app.post(
    '/v1/send',
    {
      bodyLimit,
      config: { scope: 'sending:write', noun: 'Sending', errors: ['not_found', 'quota_exceeded', 'mail_unavailable'] },
      schema: {
        summary: 'Send a message',
        operationId: 'sendMessage',
        description:
          'The message is signed with the DKIM keys of its domain, stored in Sent, and tried for up to five days. A notice ' +
          "in the sender's inbox names the recipients that were not reached. Each recipient counts against the day's " +
          'allowance, even one who refuses. `from` is a Smart mailbox of the organization, by its address or an alias. At ' +
          'least one of `text` and `html` is needed; with both, each mail program shows the one that it can.',
        body: SendRequest,
        response: { 202: Sent },
      },
    },
    async (request, reply) => {
      await sendOnce(parts, request, reply, outgoing(request.caller, request.body))
    },
  )
  batchRoute(app, parts)
}
