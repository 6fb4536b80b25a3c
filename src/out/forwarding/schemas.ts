import { invalid } from '#/base/errors.ts'
import { Line, Nullable, Strict, Timestamp } from '#/http/schemas/shared-schemas.ts'
import { timestamp } from '#/http/schemas/timestamp.ts'
import { type Static, Type } from '#/http/schemas/type.ts'
import { type Change, destination, inForce } from './forwarding.ts'
import type { Row } from './queries.ts'

const Since = Nullable(Type.String({ format: 'date-time', description: 'When it was last switched on.' }))
const Until = Nullable(Type.String({ format: 'date-time', description: 'After this time it is off.' }))

export const ForwardingOut = Type.Object(
  {
    mailbox: Type.String({ examples: ['ada@example.com'] }),
    forward: Type.Object({
      enabled: Type.Boolean({ description: 'Whether it is on. False too once `until` has passed.' }),
      to: Nullable(Type.String({ examples: ['ada@elsewhere.example'] })),
      since: Since,
      until: Until,
      paused_at: Nullable(
        Type.String({
          format: 'date-time',
          description:
            'When forwarding was paused because its destination refused ten messages in 24 hours. Switching it on ends the ' +
            'pause.',
        }),
      ),
      paused_because: Nullable(Type.String({ description: 'The last reply of the destination.' })),
    }),
    reply: Type.Object({
      enabled: Type.Boolean({ description: 'Whether it is on. False too once `until` has passed.' }),
      subject: Type.String({
        description: 'If it is empty, the subject is `Auto: ` and that of the message that is answered.',
      }),
      body: Type.String(),
      since: Since,
      until: Until,
    }),
    updated_at: Timestamp,
  },
  { title: 'Forwarding' },
)

export const ForwardingChange = Strict(
  {
    mailbox: Line({ minLength: 1, maxLength: 320, description: "The mailbox's address, not an alias." }),
    forward_to: Type.Optional(
      Nullable(
        Line({
          minLength: 1,
          maxLength: 320,
          description:
            'Where a copy of arriving mail goes; not the mailbox itself or one of its aliases. Null clears it and switches ' +
            'forwarding off.',
          rule: to,
        }),
      ),
    ),
    forward_enabled: Type.Optional(
      Type.Boolean({ description: 'True needs a destination, which may be set in the same call.' }),
    ),
    forward_until: Type.Optional(
      Nullable(Line({ description: 'RFC 3339 with an offset, or null for no end.', rule: until })),
    ),
    reply_subject: Type.Optional(
      Line({
        maxLength: 255,
        description: 'If it is empty, the subject is `Auto: ` and that of the message that is answered.',
      }),
    ),
    reply_body: Type.Optional(
      Type.String({
        format: 'text',
        maxLength: 10_000,
        description: 'Plain text. Emptying it switches the auto-reply off.',
      }),
    ),
    reply_enabled: Type.Optional(
      Type.Boolean({ description: 'True needs a text, which may be set in the same call.' }),
    ),
    reply_until: Type.Optional(
      Nullable(Line({ description: 'RFC 3339 with an offset, or null for no end.', rule: until })),
    ),
  },
  { examples: [{ mailbox: 'support@tryout.test', forward_to: 'ada@elsewhere.example', forward_enabled: true }] },
)

/** Reads a body. @throws Refusal naming the field */
export function readChange(body: Static<typeof ForwardingChange>): Change {
  if (Object.keys(body).length === 1) throw invalid('body', 'Nothing to change')
  const { forward_to, forward_enabled, forward_until, reply_subject, reply_body, reply_enabled, reply_until } = body
  return {
    ...(forward_to !== undefined && { forwardTo: to(forward_to) }),
    ...(forward_enabled !== undefined && { forwardEnabled: forward_enabled }),
    ...(forward_until !== undefined && { forwardUntil: until(forward_until, 'forward_until') }),
    ...(reply_subject !== undefined && { replySubject: reply_subject }),
    ...(reply_body !== undefined && { replyBody: reply_body }),
    ...(reply_enabled !== undefined && { replyEnabled: reply_enabled }),
    ...(reply_until !== undefined && { replyUntil: until(reply_until, 'reply_until') }),
  }
}

function to(text: string | null): string | null {
  return text === null ? null : destination(text)
}

function until(text: string | null, field: string): Date | null {
  return text === null ? null : timestamp(text, field, ', or null')
}

export function present(row: Row, now: Date): Static<typeof ForwardingOut> {
  return {
    mailbox: row.address,
    forward: {
      enabled: inForce(row.forwardEnabled, row.forwardUntil, now),
      to: row.forwardTo,
      since: shown(row.forwardSince),
      until: shown(row.forwardUntil),
      paused_at: shown(row.pausedAt),
      paused_because: row.pausedBecause,
    },
    reply: {
      enabled: inForce(row.replyEnabled, row.replyUntil, now),
      subject: row.replySubject,
      body: row.replyBody,
      since: shown(row.replySince),
      until: shown(row.replyUntil),
    },
    updated_at: row.updatedAt.toISOString(),
  }
}

function shown(at: Date | null): string | null {
  return at === null ? null : at.toISOString()
}
