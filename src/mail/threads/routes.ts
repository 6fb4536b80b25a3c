import type { Db } from '#/base/db/schema.ts'
import type { App } from '#/http/app-type.ts'
import { assertNoPage, listPlace, paged } from '#/http/schemas/cursor.ts'
import { readMailbox } from '#/mail/mailboxes/readable.ts'
import { InFolder } from '#/mail/messages/query-schemas.ts'
import { type IdsOf, threadedItemsFor } from '#/mail/messages/visible.ts'
import { folderName } from '#/mail/store/folder-name.ts'
import { type ConversationDependencies, type ListedConversation, listConversations, readConversation } from './read.ts'
import {
  ByThreadId,
  presentMessages,
  presentThread,
  ThreadPage,
  ThreadQuery,
  ThreadWithMessagesOut,
} from './schemas.ts'

const config = { noun: 'Threads', scope: 'messages:read', errors: ['not_found', 'mail_unavailable'] } as const

interface Dependencies extends ConversationDependencies {
  readonly db: Db
  readonly hostname: string
  /** Names the conversations of messages. */
  readonly idsOf: IdsOf
}

/** Of its last received message. */
function placeOf({ place: { receivedAt, uid } }: ListedConversation): [number, number] {
  return [receivedAt, uid]
}

/** The threads of a folder. */
export function threadRoutes(app: App, parts: Dependencies): void {
  const { db } = parts
  app.get(
    '/v1/threads',
    {
      config,
      schema: {
        summary: 'List the threads of a folder',
        operationId: 'listThreads',
        description:
          'Lists the threads of one folder as it is now, the last received first. A thread is what the folder has of a ' +
          'conversation: messages belong together by their Message-ID, In-Reply-To and References headers, never by ' +
          'subject; `limit`, `page` and `total` count threads. A Private mailbox is `invalid_request`.',
        querystring: ThreadQuery,
        response: { 200: ThreadPage },
      },
    },
    async ({ caller, query: { folder = 'inbox', limit = 25, page: asked, cursor, ...query } }) => {
      assertNoPage({ cursor, page: asked })
      const page = asked ?? 0
      const name = folderName(folder)
      return readMailbox(db, caller, query.mailbox, async (mailbox) => {
        const list = [mailbox.mailboxId, 'threads', name]
        const behind = listPlace(cursor, list)
        const from = behind ? { ...behind, folder: name } : page * limit
        const { total, data } = await listConversations(parts, { mailbox, only: name }, { limit: limit + 1, from })
        const { page: found, next_cursor } = paged(data, { limit, list, placeOf })
        const shown = found.map((one) => presentThread(one, name))
        return { data: shown, total, page, has_more: next_cursor !== null, next_cursor }
      })
    },
  )

  app.get(
    '/v1/threads/:id',
    {
      config,
      schema: {
        summary: 'Read a thread',
        operationId: 'getThread',
        description:
          'Answers the messages of the thread, oldest first, without their bodies. Reading does not mark ' +
          'them as read.',
        params: ByThreadId,
        querystring: InFolder,
        response: { 200: ThreadWithMessagesOut },
      },
    },
    async ({ caller, params, query: { folder = 'inbox', ...query } }) => {
      const name = folderName(folder)
      return readMailbox(db, caller, query.mailbox, async (mailbox) => {
        const thread = await readConversation(parts, { mailbox, only: name }, params.id)
        const items = await threadedItemsFor(parts, { owner: caller, mailbox }, thread.messages)
        return presentMessages(thread, name, items)
      })
    },
  )
}
