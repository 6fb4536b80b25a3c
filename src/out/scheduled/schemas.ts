import {
  cursorParameter,
  Id,
  ListOf,
  Nullable,
  OneOf,
  ReadPart,
  Strict,
  Timestamp,
} from '#/http/schemas/shared-schemas.ts'
import { timestamp } from '#/http/schemas/timestamp.ts'
import { type Static, Type } from '#/http/schemas/type.ts'
import { assertSomeText } from '#/out/sending/fields.ts'
import { sendingExample, sendingFields } from '#/out/sending/schemas.ts'
import { mostListed, type Scheduled } from './scheduled-message.ts'

const sendAt = {
  description:
    'RFC 3339 with an offset, from now to a month (31 days) ahead; a minute either way is allowed. The message is sent ' +
    'within about five minutes of it.',
  examples: ['2026-11-21T08:00:00+01:00'],
  rule: timestamp,
}

export const unlessReplied = Type.Optional(
  Type.Boolean({
    default: false,
    description:
      'Cancels it once somebody outside answers one of the messages in `in_reply_to` and `references`, of which there must be one. ' +
      'It is `invalid_request` where the mailbox has such an answer already, later than the last of them.',
  }),
)

export const ScheduleRequest = Strict(
  {
    ...sendingFields,
    send_at: Type.String(sendAt),
    unless_replied: unlessReplied,
  },
  { rule: assertSomeText, examples: [{ ...sendingExample, send_at: '2026-11-21T08:00:00+01:00' }] },
)

const warnings = Type.Array(Type.String(), {
  description:
    'Why sending may fail, in sentences: for example, that the allowance of that day is promised to other ' +
    'messages.',
})

export const Accepted = Type.Object(
  {
    id: Id,
    send_at: Timestamp,
    status: OneOf(['pending']),
    warnings,
  },
  { title: 'NewScheduledMessage' },
)

const statuses = ['pending', 'sending', 'failed', 'cancelled'] as const

const fields = {
  id: Id,
  from: Type.String({
    description: 'The address or alias of the mailbox that sends.',
    examples: ['support@example.com'],
  }),
  to: Type.Array(Type.String(), {
    description: 'The addresses as they were given.',
    examples: [['Ann <ann@example.com>']],
  }),
  cc: Type.Array(Type.String()),
  bcc: Type.Array(Type.String()),
  subject: Type.String({ examples: ['Your invoice'] }),
  send_at: Timestamp,
  status: OneOf(statuses, {
    description:
      '`sending` from the first attempt on, also between attempts. A delivered message leaves the list; its copy is in ' +
      'Sent. `cancelled`: somebody answered before (`unless_replied`).',
  }),
  last_error: Nullable(
    Type.String({
      description:
        'Why the last attempt failed. If an earlier attempt sent the whole message and got no reply, it says that the ' +
        'message may have arrived, and since when that is unknown; once it has `failed`, Sent has a copy, starred and unread.',
      examples: ['Daily sending allowance reached'],
    }),
  ),
  attachment_count: Type.Integer({ minimum: 0 }),
  unless_replied: Type.Boolean({ description: 'Whether an answer cancels it.' }),
  scheduled_by: OneOf(['api_key', 'member'], {
    description: '`member` for messages that a member scheduled in a session.',
  }),
  scheduled_by_member: Nullable(
    Type.Object(
      { id: Id, email: Type.String({ examples: ['ada@tryout.test'] }) },
      { description: 'The member who scheduled it. Null for a key, and for a member who was removed.' },
    ),
  ),
  scheduled_by_key: Nullable(
    Type.Object(
      { id: Id, name: Type.String({ examples: ['Invoices'] }) },
      { description: 'The key that scheduled it, which may be revoked by now. Null for a member.' },
    ),
  ),
  created_at: Timestamp,
}

export const ScheduledOut = Type.Object(fields, { title: 'ScheduledMessage' })

export const stateOfScheduled = ['id', 'send_at', 'status'] as const

export const RetriedScheduled = ReadPart(ScheduledOut, stateOfScheduled, {
  title: 'RetriedScheduledMessage',
  scope: 'scheduled:read',
})

export const ScheduledQuery = Strict({
  status: Type.Optional(OneOf(statuses, { description: 'Only approvals with this status.' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: mostListed, default: mostListed })),
  cursor: cursorParameter,
})

export const ScheduledList = ListOf(ScheduledOut)

export const ScheduledContent = Type.Object(
  {
    ...fields,
    text: Nullable(Type.String({ description: 'Lines end in LF; null where the message has no text.' })),
    html: Nullable(Type.String()),
    attachments: Type.Array(
      Type.Object({
        filename: Nullable(Type.String({ examples: ['invoice.pdf'] })),
        content_type: Type.String({ examples: ['application/pdf'] }),
        size_bytes: Type.Integer({ minimum: 0, description: 'The size when it is decoded.' }),
        inline: Type.Boolean({ description: 'A picture that an `img` of the HTML shows by `cid:`.' }),
      }),
    ),
  },
  { title: 'ScheduledMessageContent' },
)

export const ScheduleChange = Strict(
  { send_at: Type.String(sendAt) },
  { title: 'ScheduledMessageChange', examples: [{ send_at: '2026-11-21T08:00:00+01:00' }] },
)

export const stateOfMoved = [...stateOfScheduled, 'warnings'] as const

export const Moved = ReadPart(Type.Object({ ...fields, warnings }), stateOfMoved, {
  title: 'MovedScheduledMessage',
  scope: 'scheduled:read',
})

export const Cancelled = Type.Object({ cancelled: Type.Literal(true), id: Id })

export function present(scheduled: Scheduled): Static<typeof ScheduledOut> {
  return {
    id: scheduled.id,
    from: scheduled.from,
    to: [...scheduled.to],
    cc: [...scheduled.cc],
    bcc: [...scheduled.bcc],
    subject: scheduled.subject,
    send_at: scheduled.sendAt.toISOString(),
    status: scheduled.status,
    last_error: scheduled.lastError,
    attachment_count: scheduled.attachmentCount,
    unless_replied: scheduled.unlessReplied,
    scheduled_by: scheduled.scheduledBy,
    scheduled_by_member: scheduled.scheduledByMember,
    scheduled_by_key: scheduled.scheduledByKey,
    created_at: scheduled.createdAt.toISOString(),
  }
}
