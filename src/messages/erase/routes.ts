import type { FastifyContextConfig } from 'fastify'
import { answerAfter, ok } from '#/http/answers/idempotency.ts'
import type { App } from '#/http/app-type.ts'
import { mailboxFor } from '#/mailboxes/readable.ts'
import { folderName } from '../folders/folder-name.ts'
import { ByPath } from '../folders/schemas.ts'
import { InFolder } from '../query-schemas.ts'
import type { MessageParts } from '../routes.ts'
import { emptiableFolder, emptyFolder } from './erase.ts'
import { EmptiedFolder, EmptyingFolder, Erased, Erasing } from './schemas.ts'

/** Deletes messages for good. */
export function eraseRoutes(app: App, { db, mailHost }: MessageParts, config: FastifyContextConfig): void {
  app.delete(
    '/v1/messages',
    {
      config,
      schema: {
        summary: 'Delete messages for good',
        operationId: 'deleteMessages',
        description:
          'Up to 500 messages of one folder. It cannot be undone: to move them to `trash` instead, change them. Unknown uids ' +
          'are skipped and listed as `not_found`.',
        querystring: InFolder,
        body: Erasing,
        response: { 200: Erased },
      },
    },
    async ({ caller, actor, body, query: { folder = 'inbox', ...query } }) => {
      const name = folderName(folder)
      const mailbox = await mailboxFor(db, caller, 'change', query.mailbox)
      const wanted = [...new Set(body.uids)].sort((a, b) => a - b)
      const deleted = await mailHost.expunge(mailbox, name, wanted, actor)
      const gone = new Set(deleted)
      return { deleted, not_found: wanted.filter((uid) => !gone.has(uid)), undoable: false as const }
    },
  )

  app.post(
    '/v1/folders/:path/empty',
    {
      config: { ...config, noun: 'Folders' },
      schema: {
        summary: 'Empty trash or junk',
        operationId: 'emptyFolder',
        description:
          'Deletes all messages of `trash` or `junk` for good: it cannot be undone. It works for some 5 seconds, in steps ' +
          'that other requests do not wait for. If `has_more` is true, repeat it with the `up_to_uid` of the answer, so that ' +
          'mail that comes in between stays.',
        params: ByPath,
        querystring: EmptyingFolder,
        response: { 200: EmptiedFolder },
      },
    },
    async (request, reply) => {
      const { caller, actor: by, params, query } = request
      const name = emptiableFolder(params.path)
      const mailbox = await mailboxFor(db, caller, 'change', query.mailbox)
      await answerAfter(db, request, reply, async () => {
        const { deleted, hasMore, upToUid } = await emptyFolder(mailHost, mailbox, name, {
          upToUid: query.up_to_uid,
          by,
        })
        return ok({ deleted, has_more: hasMore, up_to_uid: upToUid, undoable: false })
      })
      return reply
    },
  )
}
