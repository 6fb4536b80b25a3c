import { invalid } from '#/base/errors.ts'
import { cursorParameter, Line, Nullable, OneOf, OneOrMore, Strict, Timestamp } from '#/http/schemas/shared-schemas.ts'
import { type Static, Type } from '#/http/schemas/type.ts'
import { highestUid } from '#/mail/messages/message.ts'
import { inFolder } from '#/mail/messages/query-schemas.ts'
import { givenId, messageId } from '#/mail/messages/schemas.ts'
import { modes } from '#/out/replies/rules.ts'
import { unlessReplied } from '#/out/scheduled/schemas.ts'
import { ExtraHeaders } from '#/out/sending/headers.ts'
import { Attachment, mostRecipients, sendingFields } from '#/out/sending/schemas.ts'

const id = Type.String({
  description: 'It stays the same over every edit that is made through this API.',
  examples: [''.padEnd(43, 'aB3-')],
})

/** The id in a path. The route checks its form: an invalid one is `not_found`. */
export const ByDraft = Type.Object({ id: Type.String({ description: 'The id of the draft.' }) })

export const ByAttachmentIndex = Type.Object({
  ...ByDraft.properties,
  index: Type.Unsafe<string>({ type: 'integer', minimum: 0, description: 'The index of the attachment in the draft.' }),
})

const address = Type.String({ examples: ['Ann <ann@example.com>'] })

const listed = {
  id,
  mailbox: Type.String({ examples: ['support@example.com'] }),
  message: {
    ...messageId,
    description: 'The id of its message, as in `GET /v1/messages/{id}`. An edit gives it another.',
  },
  uid: Type.Integer({
    minimum: 1,
    description: 'The uid of its message in the folder `drafts`. An edit gives it another.',
  }),
  version: Type.Integer({ minimum: 1, description: 'Grows with every edit.', examples: [17] }),
  updated_at: Timestamp,
  from: address,
  to: Type.Array(address, {
    description: 'The addresses as they were given, incomplete ones too. In a list, the first 100.',
  }),
  subject: Type.String({ examples: ['Your invoice'] }),
}

export const DraftItem = Type.Object(
  {
    ...listed,
    preview: Type.String({ description: 'The first 140 characters of the text.' }),
    has_attachment: Type.Boolean(),
  },
  { title: 'DraftItem' },
)

export const DraftOut = Type.Object(
  {
    ...listed,
    cc: Type.Array(address),
    bcc: Type.Array(address),
    reply_to: Type.Array(address),
    text: Nullable(Type.String({ description: 'Null if the draft has only HTML.' })),
    html: Nullable(Type.String({ description: 'As it was given, or as another mail program wrote it.' })),
    in_reply_to: Type.Array(Type.String(), { examples: [['<20261121.1@example.com>']] }),
    references: Type.Array(Type.String()),
    headers: { ...ExtraHeaders, examples: [{}] },
    attachments: Type.Array(
      Type.Object(
        {
          index: Type.Integer({ minimum: 0 }),
          id: Type.String({
            description: 'The number of the part, by which `GET /v1/messages/{uid}/attachments/{id}` downloads it.',
            examples: ['2'],
          }),
          filename: Nullable(Type.String({ examples: ['plan.pdf'] })),
          content_type: Type.String({ examples: ['application/pdf'] }),
          size_bytes: Type.Integer({ minimum: 0, description: 'The size when it is decoded.', examples: [48_213] }),
          inline: Type.Boolean({ description: 'A picture that an `img` of the HTML shows by `cid:`.' }),
          content_id: Nullable(Type.String({ description: 'For `cid:…` in the HTML.', examples: ['chart@x'] })),
        },
        { title: 'DraftAttachment' },
      ),
    ),
  },
  { title: 'Draft' },
)
export type DraftOut = Static<typeof DraftOut>

export const DraftsQuery = Strict({
  mailbox: inFolder.mailbox,
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 25 })),
  cursor: cursorParameter,
})

export const DraftPage = Type.Object({
  data: Type.Array(DraftItem),
  total: Type.Integer({ minimum: 0, description: 'How many messages the folder has.' }),
  next_cursor: Nullable(Type.String({ description: '`cursor` of the next page; null on the last page.' })),
})

function typed(field: string, maxItems: number) {
  const one = Line({ maxLength: 998, examples: ['Ann <ann@example.com>'] })
  const description = `${field}: one address, or up to ${maxItems}. Incomplete addresses are kept as they are.`
  return Type.Optional(OneOrMore(one, { description, examples: [['Ann <ann@example.com>', 'bo']], maxItems }))
}

const fields = {
  from: Type.Optional({
    ...sendingFields.from,
    description: 'Without it, the mailbox. It is checked only when the draft is sent.',
  } as typeof sendingFields.from),
  to: typed('To', mostRecipients),
  cc: typed('Cc', mostRecipients),
  bcc: typed('Bcc', mostRecipients),
  reply_to: typed('Where answers go', 10),
  subject: sendingFields.subject,
  text: Type.Optional(Nullable(Type.String({ format: 'text', examples: ['Hello Ann'] }))),
  html: Type.Optional(Nullable(Type.String({ format: 'text' }))),
  in_reply_to: sendingFields.in_reply_to,
  references: sendingFields.references,
  attachments: sendingFields.attachments,
  headers: sendingFields.headers,
}

const version = Type.Optional(
  Type.Integer({
    minimum: 1,
    description: 'The `version` that you know. If the draft has another one by now, the answer is 409 `conflict`.',
    examples: [17],
  }),
)

interface MessageNamed {
  readonly id?: string
  readonly uid?: number
  readonly folder?: string
}

/** @throws Refusal unless a message is named in one way */
export function assertOneMessage({ id, uid, folder }: MessageNamed, within = ''): void {
  if (id === undefined && uid === undefined) throw invalid(`${within}id`, 'id or uid is required')
  if (id === undefined || (uid === undefined && folder === undefined)) return
  throw invalid(`${within}${uid === undefined ? 'folder' : 'uid'}`, 'Cannot be combined with id')
}

const Original = Strict(
  {
    id: Type.Optional({
      ...givenId,
      description: 'The id of a message of the mailbox, in place of `uid` and `folder`.',
    }),
    uid: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: highestUid,
        description: 'The uid of a message of the mailbox.',
        examples: [17],
      }),
    ),
    folder: inFolder.folder,
    mode: OneOf(modes),
    quote: Type.Optional(
      Type.Boolean({
        description:
          'Whether the draft quotes the text of the message, after `text` and `html` if they are given. Without ' +
          '`quote`, it does so only if neither is given.',
        examples: [true],
      }),
    ),
  },
  {
    rule: (original: MessageNamed) => assertOneMessage(original),
    description:
      'A message that the draft answers or forwards. `from`, `to`, `cc`, `subject`, `in_reply_to`, `references` and `text` are derived from ' +
      'it, and with `forward` it has the same attachments and names the message in the header field X-Forwarded-Message-Id. Fields that ' +
      'are given come first. A key needs `messages:read` too.',
  },
)

export const NewDraft = Strict(
  { mailbox: inFolder.mailbox, original: Type.Optional(Original), ...fields },
  { examples: [{ mailbox: 'support@tryout.test', to: ['Ann <ann@example.com>', 'bo'], subject: 'Your invoice' }] },
)

export const DraftChange = Strict({ ...fields, version }, { minProperties: 1, examples: [{ text: 'Hello Ann' }] })

export type OriginalOf = Static<typeof Original>

/** The fields of a draft in a request. */
export type DraftFields = Omit<Static<typeof DraftChange>, 'version'>

export const NewAttachment = Strict(
  { ...Attachment.properties, version },
  { examples: [{ filename: 'invoice.txt', content: 'SGVsbG8=' }] },
)

export const KnownVersion = Strict({ version })

export const DraftDeleted = Type.Object({ deleted: Type.Literal(true), id })

export const SendDraft = Strict(
  {
    version,
    send_at: Type.Optional(
      Type.String({
        description: 'When to send the draft, as in `POST /v1/scheduled`. Without it, it is sent now.',
        examples: ['2026-11-21T08:00:00+01:00'],
      }),
    ),
    unless_replied: unlessReplied,
  },
  { examples: [{}] },
)
