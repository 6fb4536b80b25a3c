import { eventTypes } from '#/base/event-log/types.ts'
import { Id, Line, Nullable, OneOf, Strict, Timestamp } from '#/http/schemas/shared-schemas.ts'
import { type Static, Type } from '#/http/schemas/type.ts'
import type { Webhook } from './queries.ts'
import { webhookName } from './webhook.ts'

const types = {
  description: 'Types of events, or their first words (`message`). Null for all that it may read.',
  examples: [['message', 'label.created']],
}
const url = { examples: ['https://receiver.example/mail'] }
const name = { description: 'Up to 64 characters, for people.', examples: ['Help desk'] }

export const WebhookOut = Type.Object(
  {
    id: Id,
    name: Type.String(name),
    url: Type.String(url),
    types: Nullable(Type.Array(Type.String(), types)),
    mailbox: Nullable(
      Type.Object(
        { id: Id, address: Nullable(Type.String({ examples: ['support@tryout.test'] })) },
        {
          description:
            'Only events about this mailbox, whose `address` is null once it is deleted. Null for all mailboxes.',
        },
      ),
    ),
    reads_as: Type.Object(
      { kind: OneOf(['key', 'member']), id: Id, name: Type.String() },
      { title: 'WebhookReader', description: 'Whose rights it has: those of whoever created it, or changed it last.' },
    ),
    status: OneOf(['active', 'failing', 'paused'], {
      description: '`failing`: nothing has been delivered since `failing_since`; it is tried again.',
    }),
    waiting: Type.Integer({ minimum: 0, description: 'How many deliveries wait for another attempt.' }),
    failing_since: Nullable(Timestamp),
    paused_at: Nullable(Timestamp),
    paused_because: Nullable(
      Type.String({ description: 'Why Mailroom has paused it; null if a person or a key has.' }),
    ),
    previous_secret_until: Nullable(
      Type.String({
        format: 'date-time',
        description: 'Until then requests are also signed with the previous secret.',
      }),
    ),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Webhook' },
)

export const WithSecret = Type.Object(
  {
    ...WebhookOut.properties,
    secret: Type.Optional(
      Type.String({
        description: 'Verifies signatures. Shown in this answer only; absent if another key repeats the request.',
        examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
      }),
    ),
  },
  { title: 'WebhookWithSecret' },
)

const settings = {
  name: Type.Optional(Line({ maxLength: 200, ...name, rule: webhookName })),
  types: Type.Optional(
    Nullable(
      Type.Array(Line({ minLength: 1, maxLength: 100 }), { ...types, minItems: 1, maxItems: eventTypes.length }),
    ),
  ),
  mailbox: Type.Optional(
    Nullable(
      Line({
        minLength: 1,
        maxLength: 320,
        description: 'The address of a mailbox: only events about it. Null for all mailboxes.',
        examples: ['support@tryout.test'],
      }),
    ),
  ),
}

const Url = Line({
  minLength: 1,
  maxLength: 2_000,
  description:
    'An HTTPS URL on port 443 or above 1023, at a public address; others where the operator allows them (`MAILROOM_WEBHOOK_NETWORKS`).',
  ...url,
})

const elsewhere = { events: 'which events it posts is in types' }

export const NewWebhook = Strict(
  { url: Url, ...settings },
  { elsewhere, examples: [{ url: url.examples[0], types: ['message'] }] },
)

export const WebhookChange = Strict(
  {
    url: Type.Optional(Url),
    ...settings,
    paused: Type.Optional(Type.Boolean({ description: 'A webhook that is resumed goes on where it was.' })),
  },
  { elsewhere, minProperties: 1, examples: [{ paused: false }] },
)

export function present(webhook: Webhook): Static<typeof WebhookOut> {
  const { id, name, url, types, mailbox, reader, waiting, paused_because } = webhook
  const { failing_since, paused_at, previous_until, created_at, updated_at } = webhook
  return {
    ...{ id, name, url, types, mailbox, reads_as: reader },
    status: paused_at ? 'paused' : failing_since ? 'failing' : 'active',
    waiting,
    failing_since: shown(failing_since),
    paused_at: shown(paused_at),
    paused_because,
    previous_secret_until: shown(previous_until),
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  }
}

export function shown(at: Date | null): string | null {
  return at === null ? null : at.toISOString()
}
