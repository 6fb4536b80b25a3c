import { cursorParameter, Id, Line, ListOf, Nullable, OneOf, Strict, Timestamp } from '#/http/schemas/shared-schemas.ts'
import { timestamp } from '#/http/schemas/timestamp.ts'
import { type Static, Type } from '#/http/schemas/type.ts'
import { mostListed, type Sent, sentStates } from './sent.ts'

const Recipient = Type.Object(
  {
    address: Nullable(
      Type.String({ description: 'Null if a Private mailbox sent the message.', examples: ['ann@there.example'] }),
    ),
    state: OneOf(sentStates, {
      description:
        '`queued` before the first attempt; `deferred` between attempts; `delivered` once the next server has accepted the ' +
        'message; `bounced` once it is given up; `complained` where the recipient called it spam.',
    }),
    at: Nullable({ ...Timestamp, description: 'When it became `delivered`, `bounced` or `complained`.' }),
    code: Nullable(Type.String({ description: 'Enhanced status code (RFC 3463).', examples: ['2.0.0'] })),
    reply: Nullable(Type.String({ description: 'What the server said last.', examples: ['250 2.0.0 Ok'] })),
    reason: Nullable(Type.String({ description: 'Why it was not delivered, in a sentence.' })),
    server: Nullable(Type.String({ description: 'Which server said it.', examples: ['mx.there.example'] })),
    next_attempt_at: Nullable({ ...Timestamp, description: 'The time of the next attempt; null during an attempt.' }),
  },
  { title: 'SentRecipient' },
)

export const SentOut = Type.Object(
  {
    id: { ...Id, description: 'The id that sending or scheduling answered.' },
    mailbox: Nullable(
      Type.String({
        description: 'The mailbox that sent it; null once it is deleted.',
        examples: ['support@example.com'],
      }),
    ),
    from: Type.String({ description: 'The address or alias that sent it.', examples: ['support@example.com'] }),
    queued_at: { ...Timestamp, description: 'When the message was put into the queue.' },
    recipients: Type.Array(Recipient),
  },
  { title: 'SentMessage' },
)

const usual = 50

export const SentQuery = Strict({
  state: Type.Optional(OneOf(sentStates, { description: 'Only messages with a recipient in that state.' })),
  mailbox: Type.Optional(Line({ maxLength: 320, description: 'Only messages from this mailbox.' })),
  recipient: Type.Optional(Line({ maxLength: 320, description: 'Only messages to this address.' })),
  since: Type.Optional(
    Line({
      description: 'Only from this time on: RFC 3339 with an offset.',
      examples: ['2026-11-21T00:00:00Z'],
      rule: timestamp,
    }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: mostListed, default: usual })),
  cursor: cursorParameter,
})

export const SentList = ListOf(SentOut)

export const defaultLimit = usual

export function present({ id, mailbox, sender, queuedAt, recipients }: Sent): Static<typeof SentOut> {
  return {
    ...{ id, mailbox, from: sender, queued_at: queuedAt.toISOString() },
    recipients: recipients.map(({ address, state, at, status, reply, reason, host, nextAttemptAt }) => ({
      ...{ address, state, at: at?.toISOString() ?? null, code: status, reply, reason, server: host },
      next_attempt_at: nextAttemptAt?.toISOString() ?? null,
    })),
  }
}
