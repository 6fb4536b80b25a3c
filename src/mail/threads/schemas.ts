import { publicId } from '#/base/text/message-id.ts'
import { PageOf, paging, Strict, Timestamp } from '#/http/schemas/shared-schemas.ts'
import { type Static, Type } from '#/http/schemas/type.ts'
import { inFolder } from '#/mail/messages/query-schemas.ts'
import {
  AddressOut,
  conversationsOfMessage,
  listedFields,
  type MessageItem,
  messageId,
} from '#/mail/messages/schemas.ts'
import type { ConversationWithMessages, ListedConversation } from './read.ts'

export const ThreadQuery = Strict({ ...inFolder, ...paging(100, 25) })

export const ByThreadId = Type.Object({ id: Type.String({ description: 'An id from the list of the same folder.' }) })

const id = Type.String({
  description:
    'Replies do not change it. If a message joins two conversations, the older one’s id stays, and the other’s resolves ' +
    'to the joined conversation. It has no meaning in another folder.',
  examples: ['c2FtcGxlLWlkLTEy'],
})

const rootMessageId = Type.String({
  description:
    'The Message-ID that the conversation is named after. That message may be in another folder, or absent. Empty if the ' +
    'first message has none.',
  examples: ['<f00d@engines.example>'],
})

const uid = Type.Integer({ minimum: 1, examples: [17] })
const folder = Type.String({ examples: ['inbox'] })
const subject = Type.String({
  description: 'The subject of the message received first, decoded; empty if it has none.',
  examples: ['Notes on the engine'],
})

const ThreadOut = Type.Object(
  {
    id,
    subject,
    root_message_id: rootMessageId,
    folder,
    message_count: Type.Integer({ minimum: 1, examples: [2] }),
    unread: Type.Boolean({ description: 'Whether any of its messages is unread.' }),
    last_message_at: Timestamp,
    participants: Type.Array(Type.String(), {
      description: 'Every sender’s address in lower case, in order of first appearance.',
      examples: [['charles@engines.example', 'ada@tryout.test']],
    }),
    preview: Type.String({
      description: 'The preview of the message received last.',
      examples: ['Dear Ada, the mill is…'],
    }),
    uids: Type.Array(uid, {
      description: 'Its messages, oldest first, for the bulk change of messages, which takes up to 500.',
    }),
    ids: Type.Array(messageId, { description: 'The same messages by their ids, in the same order, for the same use.' }),
  },
  { title: 'Thread' },
)

export const ThreadPage = PageOf(ThreadOut)

const ThreadMessageOut = Type.Object(
  {
    id: messageId,
    uid,
    ...conversationsOfMessage,
    thread_id: id,
    ...listedFields,
    to: Type.Array(AddressOut, { description: 'The first 100.' }),
  },
  { title: 'ThreadMessage' },
)

export const ThreadWithMessagesOut = Type.Object(
  {
    id,
    subject,
    root_message_id: rootMessageId,
    folder,
    messages: Type.Array(ThreadMessageOut, { description: 'The messages of the conversation, oldest first.' }),
  },
  { title: 'ThreadWithMessages' },
)

export function presentThread(thread: ListedConversation, folder: string): Static<typeof ThreadOut> {
  const { id, subject, root, preview, conversation } = thread
  return {
    id,
    subject,
    root_message_id: root ?? '',
    folder,
    message_count: conversation.messages.length,
    unread: conversation.unread,
    last_message_at: new Date(conversation.lastReceivedAt).toISOString(),
    participants: [...conversation.participants],
    preview,
    uids: conversation.messages.map(({ uid }) => uid),
    ids: conversation.messages.map(({ number }) => publicId(number)),
  }
}

/** `items` are the conversation's messages as the organization sees them. */
export function presentMessages(
  thread: ConversationWithMessages,
  folder: string,
  items: readonly MessageItem[],
): Static<typeof ThreadWithMessagesOut> {
  return {
    id: thread.id,
    subject: thread.messages[0]?.subject ?? '',
    root_message_id: thread.root ?? '',
    folder,
    messages: items.map(({ mailbox: _mailbox, folder: _folder, size_bytes: _size, ...item }) => ({
      ...item,
      thread_id: thread.id,
    })),
  }
}
