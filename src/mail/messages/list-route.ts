import type { FastifyContextConfig } from 'fastify'
import type { Caller } from '#/http/access/caller.ts'
import type { App } from '#/http/app-type.ts'
import { assertNoPage, listPlace, numberedPlace, paged } from '#/http/schemas/cursor.ts'
import { type NamedSummary, summariesNamed } from '#/mail/store/find-named.ts'
import { listMessages, uidsAfter } from '#/mail/store/list.ts'
import { readSummaries, type Summary } from '#/mail/store/read.ts'
import type { MessageDependencies } from './dependencies.ts'
import { folderBeside, idsShown } from './find.ts'
import { assertAlone, namedIds, namedUids } from './message.ts'
import { ListQuery } from './query-schemas.ts'
import { type MessageItem, MessagePage } from './schemas.ts'
import { assertVisible, itemsNamed, threadedItemsFor } from './visible.ts'

/** The messages of a folder, by page or cursor, or those named by their uids or ids. */
export function listRoute(app: App, parts: MessageDependencies, config: FastifyContextConfig): void {
  const { db } = parts
  app.get(
    '/v1/messages',
    {
      config,
      schema: {
        summary: 'List messages',
        operationId: 'listMessages',
        description:
          'Lists the messages of one folder, the last received first. `total` counts the messages that match ' +
          '`unread` and `label`, or that `uids` or `ids` names. A Private mailbox is `invalid_request`. With ' +
          '`cursor`, `page` is 0.',
        querystring: ListQuery,
        response: { 200: MessagePage },
      },
    },
    async ({ caller, query: { folder, mailbox: address, ids, ...query } }) => {
      if (ids !== undefined) {
        assertAlone('ids', { mailbox: address, folder, ...query })
        return onePage(await itemsNamed(parts, caller, await shownByIds(parts, caller, namedIds(ids))))
      }
      const { uids, after_uid: afterUid, cursor, ...others } = query
      if (uids !== undefined) assertAlone('uids', { ...others, after_uid: afterUid, cursor })
      const named = uids === undefined ? undefined : namedUids(uids)
      const { limit = 25, ...narrowing } = others
      if (afterUid !== undefined) assertAlone('after_uid', narrowing)
      assertNoPage({ cursor, page: others.page })

      const { mailbox, folder: name } = await folderBeside(db, caller, 'read', { mailbox: address, folder })
      const itemsOf = (found: readonly Summary[]) => threadedItemsFor(parts, { owner: caller, mailbox }, found)
      if (named) return onePage(await itemsOf((await readSummaries(db, mailbox, name, named)).toSorted(newestFirst)))
      if (afterUid !== undefined) {
        const list = [mailbox.mailboxId, 'messages after', name, String(afterUid)]
        const newer = await uidsAfter(db, mailbox, name, numberedPlace(cursor, list) ?? afterUid, limit + 1)
        const { page: uids, next_cursor } = paged(newer, { limit, list, placeOf: (uid) => [uid] })
        const data = await itemsOf(await readSummaries(db, mailbox, name, uids))
        return { data, total: data.length, page: 0, has_more: next_cursor !== null, next_cursor }
      }
      const { page = 0, unread, label } = others
      const list = ['messages', mailbox.mailboxId, name, unread ?? null, label ?? null]
      const after = listPlace(cursor, list)
      await assertVisible(db, caller, label)
      const wanted = {
        page,
        ...(unread !== undefined && { unread }),
        ...(label !== undefined && { keyword: label }),
      }
      if (cursor === undefined) {
        const { total, messages } = await listMessages(db, mailbox, name, { ...wanted, limit })
        const has_more = (page + 1) * limit < total
        const { next_cursor } = paged(messages, { limit, list, placeOf, more: has_more })
        return { data: await itemsOf(messages), total, page, has_more, next_cursor }
      }
      const found = await listMessages(db, mailbox, name, { ...wanted, limit: limit + 1, ...(after && { after }) })
      const { page: messages, next_cursor } = paged(found.messages, { limit, list, placeOf })
      return { data: await itemsOf(messages), total: found.total, page, has_more: next_cursor !== null, next_cursor }
    },
  )
}

/** The messages with these ids that the caller may read. */
async function shownByIds(
  { db }: MessageDependencies,
  caller: Caller,
  ids: readonly string[],
): Promise<NamedSummary[]> {
  const shown = await idsShown({ db }, caller, 'read', ids, () => 'ids')
  return await summariesNamed(db, caller.organizationId, [...shown.keys()])
}

function onePage(data: MessageItem[]) {
  return { data, total: data.length, page: 0, has_more: false, next_cursor: null }
}

/** Of two received at once, the higher uid is newer. */
function newestFirst(one: Summary, other: Summary): number {
  return other.receivedAt.getTime() - one.receivedAt.getTime() || other.uid - one.uid
}

function placeOf({ receivedAt, uid }: Summary): [number, number] {
  return [receivedAt.getTime(), uid]
}
