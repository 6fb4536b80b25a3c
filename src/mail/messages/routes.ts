import type { FastifyRequest } from 'fastify'
import { notFound } from '#/base/errors.ts'
import { progressOf } from '#/http/answers/claimed-key.ts'
import { sendSerialized } from '#/http/answers/serialized-json.ts'
import type { App } from '#/http/app-type.ts'
import { readPart } from '#/http/schemas/shared-schemas.ts'
import type { Static } from '#/http/schemas/type.ts'
import type { MailboxNamed } from '#/mail/mailboxes/readable.ts'
import type { Change } from '#/mail/store/change.ts'
import { summariesNamed } from '#/mail/store/find-named.ts'
import { readSummaries, type Summary } from '#/mail/store/read.ts'
import type { Place } from '#/mail/store/update.ts'
import { assertKeywordsKnown, readChange } from './change/change.ts'
import { changeMany, changeManyNamed, changeNamed, changeOne } from './change/make-change.ts'
import { assertOneWay, BulkChange, BulkResult, MessageChange } from './change/schemas.ts'
import { downloadRoutes } from './content/download-routes.ts'
import { headerRoute } from './content/header-route.ts'
import { pictureRoute } from './content/picture-route.ts'
import type { MessageDependencies } from './dependencies.ts'
import { eraseRoutes } from './erase/routes.ts'
import { assertNoPlace, findMessage, folderBeside, idsShown, isId, placeOfUid } from './find.ts'
import { listRoute } from './list-route.ts'
import { BesideUids, ByMessage } from './query-schemas.ts'
import { ChangedMessage, flagsOfMessage, MessageOut } from './schemas.ts'
import { itemsNamed, messageFor } from './visible.ts'

const config = { noun: 'Messages', errors: ['not_found', 'mail_unavailable'] } as const
const reading = { ...config, scope: 'messages:read' } as const
const writing = { ...config, scope: 'messages:write' } as const

/** Messages. */
export function messageRoutes(app: App, parts: MessageDependencies): void {
  listRoute(app, parts, reading)
  readRoute(app, parts)
  changeRoute(app, parts)
  bulkRoutes(app, parts)
  eraseRoutes(app, parts, writing)
  headerRoute(app, parts, reading)
  downloadRoutes(app, parts, reading)
  pictureRoute(app, parts, reading)
}

function readRoute(app: App, parts: MessageDependencies): void {
  app.get(
    '/v1/messages/:uid',
    {
      config: reading,
      schema: {
        summary: 'Read a message',
        operationId: 'getMessage',
        description: 'Reading does not mark it as read.',
        params: ByMessage,
        querystring: BesideUids,
        response: { 200: MessageOut },
      },
    },
    async ({ caller, params, query }, reply) => {
      const { mailbox, stored } = await findMessage(parts, caller, 'read', params.uid, query)
      const raw = await parts.large.fetch(stored, reply)
      return sendSerialized(reply, await messageFor(parts, { owner: caller, mailbox }, stored, raw))
    },
  )
}

function changeRoute(app: App, parts: MessageDependencies): void {
  app.patch(
    '/v1/messages/:uid',
    {
      config: writing,
      schema: {
        summary: 'Change or move a message',
        operationId: 'updateMessage',
        description: 'Answers the message after the change. If it moves, it gets another `uid` and keeps its `id`.',
        params: ByMessage,
        querystring: BesideUids,
        body: MessageChange,
        response: { 200: ChangedMessage },
      },
    },
    async (request) => {
      const { params, query: beside, body } = request
      const now = await changed(parts, request, { name: params.uid, beside, change: readChange(body) })
      const [item] = await itemsNamed(parts, request.caller, now)
      if (!item) throw notFound('message')
      return readPart(item, flagsOfMessage, request.scopes.has('messages:read'))
    },
  )
}

/** Changes the message of a path, and answers it as it is then, unless it is deleted meanwhile. */
async function changed(
  parts: MessageDependencies,
  request: FastifyRequest,
  { name, beside, change }: { name: string; beside: Static<typeof BesideUids>; change: Change },
): Promise<{ mailbox: MailboxNamed; summary: Summary }[]> {
  const { caller } = request
  const { db } = parts
  const done = progressOf<Place>(request)
  if (isId(name)) {
    assertNoPlace(beside)
    const shown = await idsShown(parts, caller, 'change', [name], () => 'uid')
    if (shown.size === 0) throw notFound('message')
    if (!done) await changeNamed(parts, request, { id: name, change })
    return await summariesNamed(db, caller.organizationId, [name])
  }
  const { mailbox, folder, uid } = await placeOfUid(db, caller, 'change', name, beside)
  const place = done ?? (await changeOne(parts, request, mailbox, { name: folder, uid, change }))
  const now = place ? await readSummaries(db, mailbox, place.folder, [place.uid]) : []
  return now.map((summary) => ({ mailbox, summary }))
}

function bulkRoutes(app: App, { db }: MessageDependencies): void {
  app.patch(
    '/v1/messages',
    {
      config: writing,
      schema: {
        summary: 'Change or move many messages',
        operationId: 'updateManyMessages',
        description:
          'Changes up to 500 messages in one transaction. Name them by `ids`, wherever they are in mailboxes that ' +
          'the caller may change, or by `uids` of one folder, such as those of a thread. Unknown messages are ' +
          'skipped and listed as `not_found`. After any other error, such as an unknown keyword, nothing has ' +
          'changed. `POST /v1/changes/{id}/undo` undoes the change.',
        querystring: BesideUids,
        body: BulkChange,
        response: { 200: BulkResult },
      },
    },
    async (request) => {
      const { caller, query } = request
      const { uids = [], ids, ...body } = request.body
      assertOneWay(request.body)
      const change = readChange(body)
      if (ids) {
        assertNoPlace(query)
        await assertKeywordsKnown(db, caller, change)
        return await changeManyNamed({ db }, request, { ids, change })
      }
      const { mailbox, folder: name } = await folderBeside(db, caller, 'change', query)
      await assertKeywordsKnown(db, caller, change)
      return await changeMany({ db }, request, mailbox, { name, uids, change })
    },
  )
}
