import type { FastifyContextConfig } from 'fastify'
import { notFound } from '#/base/errors.ts'
import type { App } from '#/http/app-type.ts'
import { listPlace, paged } from '#/http/schemas/cursor.ts'
import { mailboxById } from '#/mail/mailboxes/queries.ts'
import { mailboxFor } from '#/mail/mailboxes/readable.ts'
import { listMessages } from '#/mail/store/list.ts'
import type { Summary } from '#/mail/store/read.ts'
import { boxOf, keysOf } from './find.ts'
import { presentItem } from './present.ts'
import type { DraftDependencies } from './save.ts'
import { DraftPage, DraftsQuery } from './schemas.ts'
import { sentAmong } from './sending/sent.ts'

/** The drafts of a mailbox. */
export function listRoute(app: App, { db }: DraftDependencies, config: FastifyContextConfig): void {
  app.get(
    '/v1/drafts',
    {
      config,
      schema: {
        summary: 'List drafts',
        operationId: 'listDrafts',
        description:
          'Lists the messages in the folder `drafts` of a mailbox, the last edited first. Drafts of other mail ' +
          'programs are among them; to see these, a key needs `messages:read` too.',
        querystring: DraftsQuery,
        response: { 200: DraftPage },
      },
    },
    async ({ caller, scopes, query: { mailbox: address, limit = 25, cursor } }) => {
      const { organizationId, mailboxId } = await mailboxFor(db, caller, 'read', address)
      const mailbox = await mailboxById(db, organizationId, mailboxId)
      if (!mailbox) throw notFound('mailbox')
      const box = boxOf(organizationId, mailbox)
      const list = ['drafts', mailboxId]
      const after = listPlace(cursor, list)
      const wanted = { page: 0, limit: limit + 1, ...(after && { after }) }
      const { total, messages } = await listMessages(db, box, 'drafts', wanted)
      const { page, next_cursor } = paged(messages, { limit, list, placeOf })
      const sent = await sentAmong(
        db,
        box,
        page.map(({ uid }) => uid),
      )
      const keys = await keysOf(db, { scopes }, box, page)
      const data = newestOfEach(keys, page).flatMap((summary) => {
        const key = keys.get(summary.uid)
        return key === undefined || sent.has(`${key} ${summary.uid}`) ? [] : [presentItem(box, key, summary)]
      })
      return { data, total, next_cursor }
    },
  )
}

/** Without messages that an interrupted edit has left. */
function newestOfEach(keys: ReadonlyMap<number, string>, page: readonly Summary[]): Summary[] {
  const newest = new Map<string | undefined, number>()
  for (const { uid } of page) newest.set(keys.get(uid), Math.max(uid, newest.get(keys.get(uid)) ?? 0))
  return page.filter(({ uid }) => newest.get(keys.get(uid)) === uid)
}

function placeOf({ receivedAt, uid }: Summary): [number, number] {
  return [receivedAt.getTime(), uid]
}
