import type { Db } from '#/base/db/schema.ts'
import type { MessageReader } from '#/formats/mime/reader.ts'
import type { App } from '#/http/app-type.ts'
import { assertNoPage, type ListName, listPlace, notOurs, paged, placeIn } from '#/http/schemas/cursor.ts'
import type { Static } from '#/http/schemas/type.ts'
import type { OwnAddresses } from '#/mail/mailboxes/own-addresses.ts'
import { ownAddressesOf, readMailbox } from '#/mail/mailboxes/readable.ts'
import type { LargeMessages } from '#/mail/messages/large.ts'
import { assertVisible, type IdsOf, threadedItemsFor } from '#/mail/messages/visible.ts'
import { folderName } from '#/mail/store/folder-name.ts'
import type { MailboxPlace } from '#/mail/threads/mailbox/mailbox-index.ts'
import type { Narrowing } from '#/mail/threads/narrow.ts'
import {
  type ConversationDependencies,
  type ListedConversation,
  listConversations,
  readConversation,
} from '#/mail/threads/read.ts'
import { bodiesOf } from './bodies.ts'
import { notDelivered } from './not-delivered.ts'
import {
  ByConversationId,
  type ConversationFilters,
  ConversationPage,
  ConversationQuery,
  ConversationWithMessagesOut,
  InConversation,
  presentConversation,
  presentMessages,
} from './schemas.ts'

const config = { noun: 'Conversations', scope: 'messages:read', errors: ['not_found', 'mail_unavailable'] } as const

interface Dependencies extends ConversationDependencies {
  readonly db: Db
  readonly hostname: string
  /** Names the conversations of messages. */
  readonly idsOf: IdsOf
  readonly reader: MessageReader
  readonly large: LargeMessages
}

/** Conversations of a mailbox, over its folders. */
export function conversationRoutes(app: App, parts: Dependencies): void {
  listRoute(app, parts)

  app.get(
    '/v1/conversations/:id',
    {
      config,
      schema: {
        summary: 'Read a conversation',
        operationId: 'getConversation',
        description:
          'Answers the messages of the conversation in all folders, oldest first, and with `include=bodies` what ' +
          'is in each. Reading does not mark them as read.',
        params: ByConversationId,
        querystring: InConversation,
        response: { 200: ConversationWithMessagesOut },
      },
    },
    async ({ caller, params, query }, reply) => {
      return readMailbox(parts.db, caller, query.mailbox, async (mailbox) => {
        const found = await readConversation(parts, { mailbox }, params.id)
        const own = await ownAddressesOf(parts.db, mailbox)
        const lacking = await notDelivered(parts.db, { mailbox, own }, found.messages)
        const listed = await threadedItemsFor(parts, { owner: caller, mailbox }, found.messages)
        const items = listed.map((item, at) => ({ ...item, not_delivered: lacking[at] ?? [] }))
        if (query.include === undefined) return presentMessages(found, items, own)
        const bodies = await bodiesOf(parts, reply, mailbox, found.messages)
        const opened = items.map((item, at) => ({ ...item, body: bodies[at] ?? null }))
        return presentMessages(found, opened, own)
      })
    },
  )
}

function listRoute(app: App, parts: Dependencies): void {
  app.get(
    '/v1/conversations',
    {
      config,
      schema: {
        summary: 'List the conversations of a mailbox',
        operationId: 'listConversations',
        description:
          'Of all folders but drafts, junk and trash, what was sent included; the conversation with the last received message ' +
          'first. Messages belong together by their Message-ID, In-Reply-To and References headers, never by subject; `limit`, ' +
          '`page` and `total` count conversations. A Private mailbox is `invalid_request`. With `cursor`, `page` is 0.',
        querystring: ConversationQuery,
        response: { 200: ConversationPage },
      },
    },
    async ({ caller, query: { limit = 25, mailbox: address, cursor, page: asked, ...query } }) => {
      assertNoPage({ cursor, page: asked })
      const page = asked ?? 0
      const folder = query.folder && folderName(query.folder)
      await assertVisible(parts.db, caller, query.label)
      return readMailbox(parts.db, caller, address, async (mailbox) => {
        const own = await ownAddressesOf(parts.db, mailbox)
        const narrowing = narrowingOf({ ...query, folder }, own)
        const present = (one: ListedConversation) => presentConversation(one, own)
        const list = ['conversations', mailbox.mailboxId, ...nameOf(narrowing)]
        const from = mailboxPlace(cursor, list) ?? page * limit
        const { total, data } = await listConversations(parts, { mailbox, narrowing }, { limit: limit + 1, from })
        const { page: found, next_cursor } = paged(data, { limit, list, placeOf })
        return { data: found.map(present), total, page, has_more: next_cursor !== null, next_cursor }
      })
    },
  )
}

type Filters = Omit<Static<typeof ConversationFilters>, 'folder'> & Pick<Narrowing, 'folder'>

function narrowingOf({ awaiting, ...others }: Filters, own: OwnAddresses): Narrowing {
  return {
    ...others,
    awaiting: awaiting && { side: awaiting === 'nobody' ? null : awaiting, own },
  }
}

/** A cursor is valid for a list with the same filters only. */
function nameOf({ folder, unread, starred, label, participant, awaiting }: Narrowing): ListName {
  const more = [starred, label, participant, awaiting && (awaiting.side ?? 'nobody')]
  const isNarrower = more.some((one) => one !== undefined)
  return [folder, unread, ...(isNarrower ? more : [])].map((one) => one ?? null)
}

function placeOf({ place: { receivedAt, uid, folder } }: ListedConversation): [number, number, string] {
  return [receivedAt, uid, folder]
}

/** Undefined for an empty cursor, which begins the list. @throws Refusal for a cursor of another list */
function mailboxPlace(cursor: string | undefined, list: ListName): MailboxPlace | undefined {
  const place = listPlace(cursor, list)
  if (!cursor || !place) return undefined
  const [, , folder] = placeIn(cursor, list)
  if (typeof folder !== 'string') throw notOurs()
  return { ...place, folder }
}
