import type { FastifyRequest } from 'fastify'
import { Refusal } from '#/base/errors.ts'
import type { Address } from '#/formats/mime/address/address.ts'
import { errorBody, statusOf } from '#/http/answers/error-body.ts'
import { answerOnce, ok } from '#/http/answers/idempotency.ts'
import type { App } from '#/http/app-type.ts'
import type { SchemaNode } from '#/http/validation/schema-node.ts'
import { validatorCompiler, withOthersOf } from '#/http/validation/validate.ts'
import { BatchRequest, BatchSent, BatchShape } from './batch-schemas.ts'
import { oneLargeAtATime } from './large-messages.ts'
import { type Outgoing, outgoing } from './outgoing.ts'
import { bodyLimit, type SendingBody, SendRequest } from './schemas.ts'
import { queuedAs, type ReadyMessage, type SendDependencies } from './send.ts'
import { type Sender, senderFor } from './sender.ts'

const check = validatorCompiler({
  schema: SendRequest as SchemaNode,
  method: 'POST',
  url: '/v1/send',
  httpPart: 'body',
}) as (body: unknown) => { error?: Error }

/** `POST /v1/send/batch`. */
export function batchRoute<Ready extends ReadyMessage>(app: App, parts: SendDependencies<Ready>): void {
  app.post(
    '/v1/send/batch',
    {
      bodyLimit,
      config: { scope: 'sending:write', noun: 'Sending', errors: ['mail_unavailable'] },
      schema: {
        operationId: 'sendBatch',
        summary: 'Send several messages',
        description:
          'Up to 100 messages, each as `POST /v1/send` takes it, 12 MiB of body in all. They are checked one by one, in their order: ' +
          'one that fails does not affect the others. Those that are accepted are stored together; after a 5xx none is.',
        body: BatchRequest,
        response: { 200: BatchSent },
      },
      validatorCompiler: (route) =>
        validatorCompiler({ ...route, schema: (route.httpPart === 'body' ? BatchShape : route.schema) as SchemaNode }),
    },
    async (request, reply) => {
      await sendBatch(parts, request, reply)
    },
  )
}

async function sendBatch<Ready extends ReadyMessage>(
  { db, dispatch }: SendDependencies<Ready>,
  request: FastifyRequest,
  reply: Parameters<typeof answerOnce>[2],
): Promise<void> {
  const { organizationId, body } = request
  const { messages } = body as { readonly messages: readonly unknown[] }
  const judged = await withSenders({ db }, request, messages)
  const ready = await dispatch.prepareAll(
    organizationId,
    judged.flatMap((one) => (one instanceof Refusal ? [] : one)),
  )
  const octets = ready.reduce((sum, { raw }) => sum + raw.length, 0)
  await oneLargeAtATime(octets, () =>
    answerOnce(db, request, reply, async (tx) => {
      const refusals = await dispatch.enqueueAll(tx, ready, request.actor)
      const queued = ready.map((one, at) => {
        const refused = refusals[at] ?? []
        return refused instanceof Refusal ? refused : queuedAs(one, refused)
      })
      const outcomes = queued.values()
      const data = judged.map((one, at) => {
        const outcome = one instanceof Refusal ? one : outcomes.next().value
        return outcome instanceof Refusal ? { status: 'failed', error: faultOf(outcome, messages[at]) } : outcome
      })
      return ok({ data })
    }),
  )
  dispatch.wake()
}

/** Each message with the mailbox that it is from, or why it cannot be sent. */
async function withSenders(
  { db }: Pick<SendDependencies<ReadyMessage>, 'db'>,
  { caller }: FastifyRequest,
  messages: readonly unknown[],
): Promise<({ sender: Sender; outgoing: Outgoing } | Refusal)[]> {
  const senders = new Map<string, Promise<Sender | Refusal>>()
  const senderOf = async (from: Address): Promise<Sender> => {
    const named = `${from.address} ${from.name}`
    const finding = senders.get(named) ?? senderFor(db, caller, from).catch(refusalOnly)
    senders.set(named, finding)
    const sender = await finding
    if (sender instanceof Refusal) throw sender
    return sender
  }
  const judged: ({ sender: Sender; outgoing: Outgoing } | Refusal)[] = []
  for (const message of messages) {
    const { error } = check(message)
    try {
      if (error) throw error
      const sendable = outgoing(caller, message as SendingBody)
      judged.push({ outgoing: sendable, sender: await senderOf(sendable.from) })
    } catch (error) {
      judged.push(refusalOnly(error))
    }
  }
  return judged
}

/** Errors of one message; others fail the request. */
function refusalOnly(error: unknown): Refusal {
  if (error instanceof Refusal && statusOf(error) < 500) return error
  throw error
}

function faultOf(refusal: Refusal, message: unknown) {
  const all = refusal.others.length > 0 ? refusal : withOthersOf(refusal, SendRequest as SchemaNode, message)
  const { request_id: _, ...fault } = errorBody(all, '').error
  return fault
}
