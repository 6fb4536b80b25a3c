import type { FastifyContextConfig } from 'fastify'
import { notFound } from '#/errors.ts'
import type { App } from '#/http/app-type.ts'
import { listPlace, paged } from '#/http/schemas/cursor.ts'
import { mailboxById } from '#/mailboxes/queries.ts'
import { mailboxFor } from '#/mailboxes/readable.ts'
import type { Summary } from '#/ports/mail-host.ts'
import { boxOf, type DraftBox } from './find.ts'
import { keyOf } from './identity.ts'
import { presentItem } from './present.ts'
import type { DraftParts } from './save.ts'
import { DraftPage, DraftsQuery } from './schemas.ts'
import { sentAmong } from './sending/sent.ts'

/** The drafts of a mailbox. */
export function listRoute(app: App, { db, mailHost }: DraftParts, config: FastifyContextConfig): void {
  app.get(
    '/v1/drafts',
    {
      config,
      schema: {
        summary: 'List drafts',
        operationId: 'listDrafts',
        description:
          'The messages in the folder `drafts` of a mailbox, the last edited first, those of other mail programs included.',
        querystring: DraftsQuery,
        response: { 200: DraftPage },
      },
    },
    async ({ caller, query: { mailbox: address, limit = 25, cursor } }) => {
      const { organizationId, mailboxId } = await mailboxFor(db, caller, 'read', address)
      const mailbox = await mailboxById(db, organizationId, mailboxId)
      if (!mailbox) throw notFound('mailbox')
      const box = boxOf(organizationId, mailbox)
      const list = ['drafts', mailboxId]
      const after = listPlace(cursor, list)
      const wanted = { page: 0, limit: limit + 1, ...(after && { after }) }
      const { total, messages } = await mailHost.list(box, 'drafts', wanted)
      const { page, next_cursor } = paged(messages, { limit, list, placeOf })
      const sent = await sentAmong(
        db,
        box,
        page.map(({ uid }) => uid),
      )
      const data = newestOfEach(box, page)
        .filter((summary) => !sent.has(`${keyOf(summary, box.domain)} ${summary.uid}`))
        .map((summary) => presentItem(box, summary))
      return { data, total, next_cursor }
    },
  )
}

/** Without messages that an interrupted edit has left. */
function newestOfEach({ domain }: DraftBox, page: readonly Summary[]): Summary[] {
  const newest = new Map<string, number>()
  for (const one of page) newest.set(keyOf(one, domain), Math.max(one.uid, newest.get(keyOf(one, domain)) ?? 0))
  return page.filter((one) => newest.get(keyOf(one, domain)) === one.uid)
}

function placeOf({ receivedAt, uid }: Summary): [number, number] {
  return [receivedAt.getTime(), uid]
}
