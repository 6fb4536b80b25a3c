import { Line, Nullable, PageOf, ReadPart, Timestamp } from '#/http/schemas/shared-schemas.ts'
import { type Static, type TObject, Type } from '#/http/schemas/type.ts'

export const AddressOut = Type.Object(
  {
    name: Type.String({ description: 'Empty if there is none.', examples: ['Charles Babbage'] }),
    address: Type.String({ description: 'Empty if there is none.', examples: ['charles@engines.example'] }),
  },
  { title: 'Address' },
)

const Authentication = Nullable(
  Type.Object(
    {
      spf: Type.String({ description: 'RFC 7208: `pass`, `fail`, `softfail`, `none`, …', examples: ['pass'] }),
      dkim: Type.String({
        description: 'RFC 6376: `pass` if any signature is valid, else the result of the first; `none` without one.',
        examples: ['pass'],
      }),
      dmarc: Type.String({ description: 'RFC 9989.', examples: ['pass'] }),
      domain: Nullable(
        Type.String({
          description:
            'The domain that is proven to have sent the message: the author’s if it is, else another. Null: none.',
          examples: ['engines.example'],
        }),
      ),
      aligned: Type.Boolean({ description: 'Whether that is the author’s domain.', examples: [true] }),
    },
    {
      title: 'Authentication',
      description:
        'The results at arrival here over SMTP or LMTP; a sender cannot forge them. Null for other messages.',
    },
  ),
)

const ListUnsubscribe = Nullable(
  Type.Object(
    {
      urls: Type.Array(Type.String(), {
        description: '`https` and `http` addresses.',
        examples: [['https://books.example/leave?id=17']],
      }),
      mailto: Type.Array(Type.String(), { examples: [['mailto:leave@books.example']] }),
      one_click: Type.Boolean({
        description: 'The message says that a POST to the first `https` address leaves the list at once (RFC 8058).',
      }),
    },
    {
      title: 'ListUnsubscribe',
      description: 'From List-Unsubscribe (RFC 2369). Null where it names no address that can be used.',
    },
  ),
)

/** The fields of a listed message, in a folder and in a conversation. */
export const listedFields = {
  message_id: Type.String({ description: 'Empty if there is none.', examples: ['<f00d@engines.example>'] }),
  subject: Type.String({ description: 'Decoded; empty where there is none.', examples: ['Notes on the engine'] }),
  from: AddressOut,
  to: Type.Array(AddressOut, { description: 'In a list, the first 100.' }),
  date: Nullable(
    Type.String({
      format: 'date-time',
      description: 'The time in the Date field, which the sender wrote. Null if there is none that can be read.',
      examples: ['2026-11-21T07:44:33.000Z'],
    }),
  ),
  received_at: Timestamp,
  unread: Type.Boolean(),
  starred: Type.Boolean(),
  answered: Type.Boolean({ description: 'Whether an answer to it was sent from the mailbox.' }),
  forwarded: Type.Boolean({ description: 'Whether somebody forwarded it from the mailbox.' }),
  labels: Type.Array(Type.String(), {
    description: "Keywords of the organization's labels, deleted ones included; in a session also of the member's own.",
    examples: [['invoices']],
  }),
  has_attachment: Type.Boolean(),
  preview: Type.String({ description: 'The first 140 characters of the text.', examples: ['Dear Ada, the mill is…'] }),
  authentication: Authentication,
  list_unsubscribe: ListUnsubscribe,
}

/** The id of a message (docs/reference/messages.md#how-long-does-an-id-stay-the-same). */
export const messageId = Type.String({
  description: 'The message keeps this id for as long as it is in its mailbox, also when it moves. A copy has its own.',
  examples: ['m2s'],
})

/** An id in a request. One that no message has is not found. */
export const givenId = Line({ minLength: 1, maxLength: 20, description: 'The id of a message.', examples: ['m2s'] })

/** The same with its place and size. */
export const listedMessage = {
  id: messageId,
  uid: Type.Integer({
    minimum: 1,
    description: "The message's number in its folder. If it moves, it gets another.",
    examples: [17],
  }),
  folder: Type.String({ examples: ['inbox'] }),
  ...listedFields,
  size_bytes: Type.Integer({ minimum: 0, examples: [5_120] }),
}

/** A listed message, but for its conversation. */
export type ListedMessage = Static<TObject<typeof listedMessage>>

/** The conversations that a message belongs to. */
export const conversationsOfMessage = {
  thread_id: Nullable(
    Type.String({
      description: 'The id of its conversation in this folder. Null if the message left the folder meanwhile.',
      examples: ['c2FtcGxlLWlkLTEy'],
    }),
  ),
  conversation_id: Nullable(
    Type.String({
      description:
        'The id of its conversation over all folders. Null in drafts, junk and trash, where the message left the folder ' +
        'meanwhile, and as long as more than 20,000 messages would have to be read first.',
      examples: ['c2FtcGxlLWlkLTEz'],
    }),
  ),
}

/** The mailbox of a message. */
export const mailboxOfMessage = Type.String({
  description: 'The address of its mailbox.',
  examples: ['support@tryout.test'],
})

const itemFields = { mailbox: mailboxOfMessage, ...listedMessage, ...conversationsOfMessage }

export const MessageItem = Type.Object(itemFields, { title: 'MessageItem' })
export type MessageItem = Static<typeof MessageItem>

/** What a change of a message answers to every key that may make it. */
export const flagsOfMessage = ['id', 'uid', 'folder', 'unread', 'starred', 'answered', 'forwarded', 'labels'] as const

export const ChangedMessage = ReadPart(MessageItem, flagsOfMessage, {
  title: 'ChangedMessage',
  scope: 'messages:read',
})

export const MessagePage = PageOf(MessageItem)

const AttachmentOut = Type.Object(
  {
    id: Type.String({ description: 'The number of the part, as in IMAP.', examples: ['2'] }),
    filename: Nullable(Type.String({ examples: ['plan.pdf'] })),
    content_type: Type.String({
      description:
        'As the sender declares it. `application/ms-tnef` (winmail.dat) holds files that Outlook has packed: they are not listed, ' +
        'since Mailroom does not unpack it.',
      examples: ['application/pdf'],
    }),
    size_bytes: Type.Integer({ minimum: 0, description: 'The size when it is decoded.', examples: [48_213] }),
    inline: Type.Boolean({ description: 'A picture that an `img` of the HTML shows by `cid:`.' }),
    content_id: Nullable(Type.String({ description: 'For `cid:…` in the HTML.', examples: ['chart@x'] })),
  },
  { title: 'Attachment' },
)

/** The content of a message. */
export const contentFields = {
  text: Nullable(
    Type.String({
      description:
        'Lines end in LF. Of a message without text, or with an empty one, its HTML as text, of which the first 512 Ki characters ' +
        'are read. Null where it has neither.',
    }),
  ),
  html: Nullable(
    Type.String({
      description: 'The HTML as it was sent. Show it in a sandbox, without scripts and remote content.',
    }),
  ),
  new_text: Nullable(
    Type.String({
      description:
        'The text without quoted text and signature, of its first 512 Ki characters. Of a message without text, of its HTML. Null where ' +
        'it has neither.',
      examples: ['Dear Ada, the mill is oiled.'],
    }),
  ),
  attachments: Type.Array(AttachmentOut),
}

const AppliedOut = Type.Object(
  {
    filter_id: Type.String({ format: 'uuid' }),
    name: Type.String(),
    action: Type.String(),
    argument: Nullable(Type.String()),
  },
  { title: 'AppliedFilter' },
)

export const MessageOut = Type.Object(
  {
    ...itemFields,
    cc: Type.Array(AddressOut),
    reply_to: Type.Array(AddressOut),
    in_reply_to: Nullable(Type.String()),
    references: Type.Array(Type.String()),
    ...contentFields,
    filtered_by: Type.Array(AppliedOut, {
      description:
        'The organization’s filters that acted on the message as it arrived, as they were then; in a session also the member’s own that still exist.',
    }),
  },
  { title: 'Message' },
)
export type MessageOut = Static<typeof MessageOut>

const HeaderField = Type.Object(
  {
    name: Type.String({ description: 'The name as it is written.', examples: ['Subject'] }),
    raw: Type.String({
      description:
        'As it is written, with line breaks where the value is folded. Octets that are not UTF-8 are one character each.',
      examples: ['=?utf-8?q?Notes_on_the_engine?='],
    }),
    value: Type.String({
      description: 'Decoded (RFC 2047), as one line without control characters.',
      examples: ['Notes on the engine'],
    }),
  },
  { title: 'HeaderField' },
)

export const HeaderFieldsOut = Type.Object({
  data: Type.Array(HeaderField),
  complete: Type.Boolean({ description: 'False if the header is longer than what is shown.', examples: [true] }),
})
export type HeaderFieldsOut = Static<typeof HeaderFieldsOut>
