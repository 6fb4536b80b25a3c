import type { RunningChanges } from '#/changes/running-changes.ts'
import type { Db } from '#/db/schema.ts'
import { notFound } from '#/errors.ts'
import { progressOf } from '#/http/answers/claimed-key.ts'
import { sendSerialized } from '#/http/answers/serialized-json.ts'
import type { App } from '#/http/app-type.ts'
import { readPart } from '#/http/schemas/shared-schemas.ts'
import { mailboxFor } from '#/mailboxes/readable.ts'
import type { MessageReader } from '#/mime/reader.ts'
import type { MailHost, Place } from '#/ports/mail-host.ts'
import type { PublicHttp } from '#/public-http/public-http.ts'
import { assertKeywordsKnown, readChange } from './change/change.ts'
import { changeMany, changeOne } from './change/make-change.ts'
import { BulkChange, BulkResult, MessageChange } from './change/schemas.ts'
import { downloadRoutes } from './content/download-routes.ts'
import { headerRoute } from './content/header-route.ts'
import type { LargeMessages } from './content/large.ts'
import { pictureRoute } from './content/picture-route.ts'
import { eraseRoutes } from './erase/routes.ts'
import { findMessage } from './find.ts'
import { folderName } from './folders/folder-name.ts'
import { folderRoutes } from './folders/routes.ts'
import { listRoute } from './list-route.ts'
import { pathUid } from './message.ts'
import { ByUid, InFolder } from './query-schemas.ts'
import { ChangedMessage, flagsOfMessage, MessageOut } from './schemas.ts'
import { type IdsOf, messageFor, threadedItemsFor } from './visible.ts'

const config = { noun: 'Messages', errors: ['not_found', 'mail_unavailable'] } as const
const reading = { ...config, scope: 'messages:read' } as const
const writing = { ...config, scope: 'messages:write' } as const

export interface MessageParts {
  readonly db: Db
  readonly mailHost: MailHost
  readonly runningChanges: RunningChanges
  readonly reader: MessageReader
  /** Names the conversations of messages. */
  readonly idsOf: IdsOf
  readonly large: LargeMessages
  /** Fetches the pictures that messages name. */
  readonly publicHttp: PublicHttp
  /** This installation's name in DNS. */
  readonly hostname: string
}

/** Folders and the messages in them. */
export function messageRoutes(app: App, parts: MessageParts): void {
  folderRoutes(app, parts, { reading, writing })
  listRoute(app, parts, reading)
  readRoute(app, parts)
  changeRoute(app, parts)
  bulkRoutes(app, parts)
  eraseRoutes(app, parts, writing)
  headerRoute(app, parts, reading)
  downloadRoutes(app, parts, reading)
  pictureRoute(app, parts, reading)
}

function readRoute(app: App, parts: MessageParts): void {
  app.get(
    '/v1/messages/:uid',
    {
      config: reading,
      schema: {
        summary: 'Read a message',
        operationId: 'getMessage',
        description: 'Reading does not mark it as read.',
        params: ByUid,
        querystring: InFolder,
        response: { 200: MessageOut },
      },
    },
    async ({ caller, params, query }, reply) => {
      const { mailbox, stored } = await findMessage(parts, caller, params.uid, query)
      const raw = await parts.large.fetch(stored, reply)
      return sendSerialized(reply, await messageFor(parts, { owner: caller, mailbox }, stored, raw))
    },
  )
}

function changeRoute(app: App, parts: MessageParts): void {
  const { db, mailHost } = parts
  app.patch(
    '/v1/messages/:uid',
    {
      config: writing,
      schema: {
        summary: 'Change or move a message',
        operationId: 'updateMessage',
        description: 'Answers the message after the change. Moving gives it another `uid`.',
        params: ByUid,
        querystring: InFolder,
        body: MessageChange,
        response: { 200: ChangedMessage },
      },
    },
    async (request) => {
      const { caller, scopes, params, body } = request
      const { folder = 'inbox', ...query } = request.query
      const name = folderName(folder)
      const change = readChange(body)
      const uid = pathUid(params.uid)
      const mailbox = await mailboxFor(db, caller, 'change', query.mailbox)
      const place = progressOf<Place>(request) ?? (await changeOne(parts, request, mailbox, { name, uid, change }))
      const now = place && (await mailHost.summaries(mailbox, place.folder, [place.uid]))
      const [item] = now ? await threadedItemsFor(parts, { owner: caller, mailbox }, now) : []
      if (!item) throw notFound('message')
      return readPart(item, flagsOfMessage, scopes.has('messages:read'))
    },
  )
}

function bulkRoutes(app: App, { db, mailHost }: MessageParts): void {
  app.patch(
    '/v1/messages',
    {
      config: writing,
      schema: {
        summary: 'Change or move many messages',
        operationId: 'updateManyMessages',
        description:
          'Up to 500 messages of one folder, such as a thread’s `uids`, in one transaction. Unknown uids are skipped and ' +
          'listed as `not_found`. Any other error, such as an unknown keyword, changes nothing. `POST /v1/changes/{id}/undo` ' +
          'undoes it.',
        querystring: InFolder,
        body: BulkChange,
        response: { 200: BulkResult },
      },
    },
    async (request) => {
      const { uids, ...body } = request.body
      const { folder = 'inbox', ...query } = request.query
      const name = folderName(folder)
      const change = readChange(body)
      const mailbox = await mailboxFor(db, request.caller, 'change', query.mailbox)
      await assertKeywordsKnown(db, request.caller, change)
      return await changeMany({ db, mailHost }, request, mailbox, { name, uids, change })
    },
  )
}
