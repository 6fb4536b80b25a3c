import { Id, Line, OneOf, OneOrMore, Strict } from '#/http/schemas/shared-schemas.ts'
import { type Static, Type } from '#/http/schemas/type.ts'
import { suppressed } from '#/out/suppressions/suppression.ts'
import {
  assertSomeText,
  assertTogether,
  base64,
  contentId,
  mailbox,
  mediaType,
  messageIds,
  mostAttachments,
} from './fields.ts'
import { ExtraHeaders } from './headers.ts'

/** The limit of a body in octets: 8 MiB of attachments in base64, and the texts. */
export const bodyLimit = 12 * 1024 * 1024

export const mostRecipients = 25

const Address = Line({
  maxLength: 998,
  description: '`ann@example.com` or `Ann <ann@example.com>`.',
  examples: ['Ann <ann@example.com>'],
  rule: mailbox,
})

function recipients(field: string, least?: { minItems: number }) {
  const description = `${field}: one address, or up to ${mostRecipients}.`
  const examples = [['Ann <ann@example.com>', 'bob@example.com']]
  return OneOrMore(Address, { description, examples, maxItems: mostRecipients, ...least })
}

const MessageIds = OneOrMore(Line({ maxLength: 998, rule: messageIds }), {
  maxItems: 100,
  description: 'Message-IDs, each with an @, with or without angle brackets, up to 100.',
  examples: ['<20261121.1@example.com>'],
})

export const Attachment = Type.Object(
  {
    filename: Line({ minLength: 1, maxLength: 255, examples: ['invoice.pdf'] }),
    content: Type.String({
      description: 'Base64 (RFC 4648, section 4: the standard alphabet with padding, no line breaks).',
      examples: ['SGVsbG8='],
      rule: base64,
    }),
    content_type: Type.Optional(
      Line({
        maxLength: 140,
        description: 'Without it, the file name decides.',
        examples: ['application/pdf'],
        rule: mediaType,
      }),
    ),
    content_id: Type.Optional(
      Line({
        minLength: 1,
        maxLength: 255,
        description: 'Without angle brackets: what `cid:` in the HTML refers to.',
        examples: ['logo'],
        rule: contentId,
      }),
    ),
  },
  { additionalProperties: false },
)

/** The fields of a message to send, shared by POST /v1/send and POST /v1/scheduled. */
export const sendingFields = {
  from: Line({
    maxLength: 998,
    description:
      'A Smart mailbox of the organization, by its address or one of its aliases. That address is the author, with ' +
      'a tag the envelope sender, and its domain signs.',
    examples: ['support@example.com'],
    rule: mailbox,
  }),
  to: recipients('To', { minItems: 1 }),
  cc: Type.Optional(recipients('Cc')),
  bcc: Type.Optional(recipients('Bcc, which no recipient sees')),
  subject: Type.Optional(Line({ maxLength: 998, default: '', examples: ['Your invoice'] })),
  text: Type.Optional(
    Type.String({ format: 'text', description: 'The message as plain text.', examples: ['Hello Ann'] }),
  ),
  html: Type.Optional(Type.String({ format: 'text', description: 'The message as HTML.' })),
  in_reply_to: Type.Optional(MessageIds),
  references: Type.Optional(MessageIds),
  reply_to: Type.Optional(
    OneOrMore(Address, {
      description: 'Where answers go: up to 10 addresses.',
      examples: ['sales@example.com'],
      maxItems: 10,
    }),
  ),
  attachments: Type.Optional(
    Type.Array(Attachment, {
      maxItems: mostAttachments,
      description: 'Up to 10, 8 MiB in all when decoded.',
      rule: assertTogether,
    }),
  ),
  headers: Type.Optional(ExtraHeaders),
}

export const sendingExample = {
  from: 'support@tryout.test',
  to: ['Ann <ann@example.com>'],
  subject: 'Your invoice',
  text: 'Hello Ann',
  attachments: [{ filename: 'invoice.txt', content: 'SGVsbG8=' }],
}

/** The body of `POST /v1/send`. */
export const SendRequest = Strict(sendingFields, {
  rule: assertSomeText,
  examples: [sendingExample],
  elsewhere: { send_at: 'to send it later, use POST /v1/scheduled' },
})
export type SendingBody = Static<typeof SendRequest>

export const Sent = Type.Object(
  {
    id: Id,
    message_id: Type.String({
      description: 'The Message-ID of the message, by which replies name it.',
      examples: ['<0199f0a2-7a52-7cc1-a1f1-0d5b7f3a1c55@example.com>'],
    }),
    status: OneOf(['queued']),
    refused: Type.Optional(
      Type.Array(
        Type.Object({
          address: Type.String({ examples: ['bob@there.example'] }),
          reason: Type.String({ examples: [suppressed] }),
        }),
        { description: 'Suppressed recipients, to whom nothing is sent; absent if there are none.' },
      ),
    ),
  },
  {
    title: 'QueuedMessage',
    examples: [
      {
        id: '0199f0a2-7a52-7cc1-a1f1-0d5b7f3a1c55',
        message_id: '<0199f0a2-7a52-7cc1-a1f1-0d5b7f3a1c55@example.com>',
        status: 'queued',
      },
    ],
  },
)
