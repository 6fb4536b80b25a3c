import type { FastifyContextConfig } from 'fastify'
import { answerClaimed, noteProgress, progressOf } from '#/http/answers/claimed-key.ts'
import { ok } from '#/http/answers/idempotency.ts'
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
    async (request) => {
      const { folder = 'inbox', ...query } = request.query
      const name = folderName(folder)
      const mailbox = await mailboxFor(db, request.caller, 'change', query.mailbox)
      const wanted = [...new Set(request.body.uids)].sort((a, b) => a - b)
      const gone = new Set(progressOf<{ deleted: number[] }>(request)?.deleted)
      const left = wanted.filter((uid) => !gone.has(uid))
      if (left.length > 0) {
        await mailHost.expunge(mailbox, name, left, request.actor, async (tx, some) => {
          for (const uid of some) gone.add(uid)
          await noteProgress(tx, request, { deleted: [...gone] })
        })
      }
      return {
        deleted: wanted.filter((uid) => gone.has(uid)),
        not_found: wanted.filter((uid) => !gone.has(uid)),
        undoable: false as const,
      }
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
      await answerClaimed(db, request, reply, async () => {
        const { upToUid, deleted: before } = progressOf<{ upToUid: number; deleted: number }>(request) ?? {
          upToUid: query.up_to_uid ?? (await mailHost.extent(mailbox, name)).lastUid,
          deleted: 0,
        }
        await noteProgress(db, request, { upToUid, deleted: before })
        const { deleted, hasMore } = await emptyFolder(mailHost, mailbox, name, {
          ...{ upToUid, by, before },
          record: (tx, deleted) => noteProgress(tx, request, { upToUid, deleted }),
        })
        return ok({ deleted, has_more: hasMore, up_to_uid: upToUid, undoable: false })
      })
      return reply
    },
  )
}
