import type { FastifyContextConfig } from 'fastify'
import { notFound } from '#/errors.ts'
import type { App } from '#/http/app-type.ts'
import { mailboxFor } from '#/mailboxes/readable.ts'
import { folderName } from './folder-name.ts'
import { headerFieldsOf } from './header-fields.ts'
import { pathUid } from './message.ts'
import { ByUid, InFolder } from './query-schemas.ts'
import type { MessageParts } from './routes.ts'
import { HeaderFieldsOut } from './schemas.ts'

/** The header of a message. */
export function headerRoute(app: App, { db, mailHost }: MessageParts, config: FastifyContextConfig): void {
  app.get(
    '/v1/messages/:uid/headers',
    {
      config,
      schema: {
        summary: 'Read a message’s header',
        operationId: 'readHeaders',
        description: 'Its fields in order, at most 1,000, and those in the first 256 KiB of the message.',
        params: ByUid,
        querystring: InFolder,
        response: { 200: HeaderFieldsOut },
      },
    },
    async ({ caller, params, query: { folder = 'inbox', ...query } }) => {
      const name = folderName(folder)
      const uid = pathUid(params.uid)
      const mailbox = await mailboxFor(db, caller, 'read', query.mailbox)
      const stored = await mailHost.read(mailbox, name, uid)
      if (!stored) throw notFound('message')
      return headerFieldsOf(stored)
    },
  )
}
