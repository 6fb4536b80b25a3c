import { publicId } from '#/base/text/message-id.ts'
import { Line, Nullable, OneOf, PageOf, paging, Strict, Timestamp } from '#/http/schemas/shared-schemas.ts'
import { type Static, Type } from '#/http/schemas/type.ts'
import type { OwnAddresses } from '#/mail/mailboxes/own-addresses.ts'
import { mostAtOnce, uid } from '#/mail/messages/change/schemas.ts'
import { inFolder } from '#/mail/messages/query-schemas.ts'
import {
  AddressOut,
  contentFields,
  conversationsOfMessage,
  listedMessage,
  type MessageItem,
  mailboxOfMessage,
  messageId,
} from '#/mail/messages/schemas.ts'
import { awaiting, sides } from '#/mail/threads/awaiting.ts'
import type { ConversationWithMessages, ListedConversation } from '#/mail/threads/read.ts'

export const ConversationFilters = Type.Object({
  folder: Type.Optional(
    Type.String({
      description: 'Conversations with a message in this folder, in the order of their last received message there.',
      examples: ['inbox'],
    }),
  ),
  unread: Type.Optional(
    Type.Boolean({ description: '`true` for conversations with an unread message, `false` for those without one.' }),
  ),
  starred: Type.Optional(
    Type.Boolean({ description: '`true` for conversations with a starred message, `false` for those without one.' }),
  ),
  label: Type.Optional(
    Line({
      minLength: 1,
      description: 'Conversations with a message that has this keyword of a label, which may be deleted.',
      examples: ['invoices'],
    }),
  ),
  participant: Type.Optional(
    Line({
      minLength: 1,
      maxLength: 320,
      description: 'Conversations with a message from this address, in any case.',
      examples: ['charles@engines.example'],
    }),
  ),
  awaiting: Type.Optional(
    OneOf([...sides, 'nobody'], {
      description: 'Conversations where `us` or `them` are expected to write next, or `nobody`, if `awaiting` is null.',
      examples: ['us'],
    }),
  ),
})

export const ConversationQuery = Strict({
  mailbox: inFolder.mailbox,
  ...paging(100, 25),
  ...ConversationFilters.properties,
})

export const InConversation = Strict({
  mailbox: inFolder.mailbox,
  include: Type.Optional(OneOf(['bodies'], { description: 'Each message then has a `body`.' })),
})

export const ByConversationId = Type.Object({
  id: Type.String({ description: 'An id from the list of the same mailbox.' }),
})

const id = Type.String({
  description:
    'Replies do not change it, nor does moving its messages. If a message joins two conversations, the older one’s id ' +
    'stays, and the other’s resolves to the joined conversation. It has no meaning in another mailbox.',
  examples: ['c2FtcGxlLWlkLTEz'],
})

const rootMessageId = Type.String({
  description:
    'The Message-ID that the conversation is named after. Empty if the first message has none and names none.',
  examples: ['<f00d@engines.example>'],
})

const commonFields = {
  id,
  subject: Type.String({
    description: 'The subject of the message received first, decoded; empty if it has none.',
    examples: ['Notes on the engine'],
  }),
  root_message_id: rootMessageId,
  folders: Type.Array(Type.String(), {
    description: 'The folders that have its messages.',
    examples: [['inbox', 'sent']],
  }),
  places: Type.Array(
    Type.Object(
      {
        folder: Type.String({ examples: ['inbox'] }),
        uids: Type.Array(uid, { description: 'Its messages there, oldest first.' }),
        ids: Type.Array(messageId, { description: 'The same by their ids, in the same order.' }),
      },
      { title: 'ConversationPlace' },
    ),
    {
      description: `The same with the messages, one place for each bulk change of messages: a folder with more than ${mostAtOnce} of them has several.`,
    },
  ),
  message_count: Type.Integer({ minimum: 1, examples: [2] }),
  unread: Type.Boolean({ description: 'Whether any of its messages is unread.' }),
  awaiting: Nullable(
    OneOf(sides, {
      description:
        'Who is expected to write next: `us` if the last message came from outside, `them` if it is ours, in Sent or from an ' +
        'address of the mailbox. Null if nobody is: list and bulk mail, automatic mail, reports, addresses such as no-reply.',
      examples: ['us'],
    }),
  ),
  last_message_at: Timestamp,
  participants: Type.Array(Type.String(), {
    description: 'Every sender’s address in lower case, in order of first appearance.',
    examples: [['charles@engines.example', 'ada@tryout.test']],
  }),
}

const ConversationOut = Type.Object(
  {
    ...commonFields,
    preview: Type.String({
      description: 'The preview of the message received last.',
      examples: ['Dear Ada, the mill is…'],
    }),
  },
  { title: 'Conversation' },
)

export const ConversationPage = PageOf(ConversationOut)

const BodyOut = Type.Object(
  {
    ...contentFields,
    new_html: Nullable(
      Type.String({
        description:
          'The HTML without what mail programs mark as quoted or as a signature. Elements may stay open at its end. As unsafe as `html`.',
      }),
    ),
  },
  {
    title: 'MessageBody',
    description:
      'With `include=bodies`. Null for messages that are older than the newest 100, 50 MiB or 8 Mi characters of the conversation, and ' +
      'where a text is longer than 512 Ki characters: read these by `GET /v1/messages/{uid}`.',
  },
)
export type BodyOut = Static<typeof BodyOut>

const NotDeliveredOut = Type.Object(
  {
    recipient: Nullable(
      Type.String({ description: 'Null if the notice names no recipient.', examples: ['charles@engines.example'] }),
    ),
    status: Nullable(Type.String({ description: 'Enhanced status code (RFC 3463).', examples: ['5.1.1'] })),
    diagnostic: Nullable(
      Type.String({ description: 'What the server said, in one line.', examples: ['550 5.1.1 No such mailbox'] }),
    ),
    at: Timestamp,
    proven: Type.Boolean({
      description:
        'Whether Mailroom recorded in the last 30 days that mail from the mailbox to that recipient bounced. If not, ' +
        'the notice may be forged.',
    }),
  },
  { title: 'NotDelivered' },
)
export type NotDeliveredOut = Static<typeof NotDeliveredOut>

const ConversationMessageOut = Type.Object(
  {
    mailbox: mailboxOfMessage,
    ...listedMessage,
    ...conversationsOfMessage,
    conversation_id: id,
    to: Type.Array(AddressOut, { description: 'The first 100.' }),
    not_delivered: Type.Array(NotDeliveredOut, {
      description: 'Recipients that the message has not reached, by notices in the conversation; the newest 100.',
    }),
    body: Type.Optional(Nullable(BodyOut)),
  },
  { title: 'ConversationMessage' },
)

export const ConversationWithMessagesOut = Type.Object(
  {
    ...commonFields,
    messages: Type.Array(ConversationMessageOut, { description: 'The messages of the conversation, oldest first.' }),
  },
  { title: 'ConversationWithMessages' },
)

export function presentConversation(listed: ListedConversation, own: OwnAddresses): Static<typeof ConversationOut> {
  const { id, subject, root, preview, conversation } = listed
  const messages = conversation.messages.map(({ number, ...placed }) => ({ ...placed, id: publicId(number) }))
  const { folders, places, message_count } = presentPlaces(messages)
  return {
    id,
    subject,
    root_message_id: root ?? '',
    folders,
    places,
    message_count,
    unread: conversation.unread,
    awaiting: awaiting(listed.last, own),
    last_message_at: new Date(conversation.lastReceivedAt).toISOString(),
    participants: [...conversation.participants],
    preview,
  }
}

/** `items` are the conversation's messages as the organization sees them. */
export function presentMessages(
  { id, root, conversation, messages, last }: ConversationWithMessages,
  items: readonly (MessageItem & { readonly not_delivered: NotDeliveredOut[]; readonly body?: BodyOut | null })[],
  own: OwnAddresses,
): Static<typeof ConversationWithMessagesOut> {
  return {
    ...{ id, subject: messages[0]?.subject ?? '', root_message_id: root ?? '', ...presentPlaces(messages) },
    unread: messages.some(({ seen }) => !seen),
    awaiting: awaiting(last, own),
    last_message_at: (messages.at(-1)?.receivedAt ?? new Date(conversation.lastReceivedAt)).toISOString(),
    participants: [...conversation.participants],
    messages: items.map((item) => ({ ...item, conversation_id: id })),
  }
}

/** Folders in the order in which the conversation came to them, each in as many places as bulk changes take it. */
function presentPlaces(messages: readonly Pick<MessageItem, 'id' | 'folder' | 'uid'>[]) {
  const byFolder = Map.groupBy(messages, ({ folder }) => folder)
  const places: { folder: string; uids: number[]; ids: string[] }[] = []
  for (const [folder, those] of byFolder) {
    for (let from = 0; from < those.length; from += mostAtOnce) {
      const some = those.slice(from, from + mostAtOnce)
      places.push({ folder, uids: some.map(({ uid }) => uid), ids: some.map(({ id }) => id) })
    }
  }
  return { folders: [...byFolder.keys()], places, message_count: messages.length }
}
