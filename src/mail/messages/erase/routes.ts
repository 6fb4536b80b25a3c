import type { FastifyContextConfig, FastifyRequest } from 'fastify'
import type { Tx } from '#/base/db/schema.ts'
import { answerClaimed, noteProgress, progressOf } from '#/http/answers/claimed-key.ts'
import { ok } from '#/http/answers/idempotency.ts'
import type { App } from '#/http/app-type.ts'
import { ByPath } from '#/mail/folders/schemas.ts'
import { mailboxFor } from '#/mail/mailboxes/readable.ts'
import { expungeMessages } from '#/mail/store/expunge.ts'
import { findFolder } from '#/mail/store/folders.ts'
import { expungeNamed } from '#/mail/store/named/expunge.ts'
import { assertOneWay } from '../change/schemas.ts'
import type { MessageDependencies } from '../dependencies.ts'
import { assertNoPlace, folderBeside, idsShown } from '../find.ts'
import { BesideUids } from '../query-schemas.ts'
import { emptiableFolder, emptyFolder } from './erase.ts'
import { EmptiedFolder, EmptyingFolder, Erased, Erasing } from './schemas.ts'

/** Deletes those that an attempt before has not. A repetition of the request learns of the others from `progressOf`. */
async function erased<Name extends number | string>(
  request: FastifyRequest,
  wanted: readonly Name[],
  erase: (left: Name[], record: (tx: Tx, gone: readonly Name[]) => Promise<void>) => Promise<void>,
) {
  const gone = new Set(progressOf<{ deleted: Name[] }>(request)?.deleted)
  const left = wanted.filter((one) => !gone.has(one))
  if (left.length > 0) {
    await erase(left, async (tx, some) => {
      for (const one of some) gone.add(one)
      await noteProgress(tx, request, { deleted: [...gone] })
    })
  }
  return {
    deleted: wanted.filter((one) => gone.has(one)),
    not_found: wanted.filter((one) => !gone.has(one)),
    undoable: false as const,
  }
}

/** Deletes messages for good. */
export function eraseRoutes(app: App, { db }: MessageDependencies, config: FastifyContextConfig): void {
  app.delete(
    '/v1/messages',
    {
      config,
      schema: {
        summary: 'Delete messages for good',
        operationId: 'deleteMessages',
        description:
          'Deletes up to 500 messages, named by `ids`, wherever they are, or by `uids` of one folder. This cannot ' +
          'be undone; to move messages to `trash` instead, change them. Unknown messages are skipped and listed ' +
          'as `not_found`.',
        querystring: BesideUids,
        body: Erasing,
        response: { 200: Erased },
      },
    },
    async (request) => {
      const { caller, actor, query, body } = request
      assertOneWay(body)
      if (body.ids) {
        assertNoPlace(query)
        const wanted = [...new Set(body.ids)]
        return await erased(request, wanted, async (left, record) => {
          const shown = await idsShown({ db }, caller, 'change', left)
          await expungeNamed(db, caller.organizationId, [...shown.keys()], actor, record)
        })
      }
      const { mailbox, folder } = await folderBeside(db, caller, 'change', query)
      const wanted = [...new Set(body.uids)].sort((a, b) => a - b)
      return await erased(request, wanted, async (left, record) => {
        await expungeMessages(db, mailbox, folder, left, actor, record)
      })
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
          upToUid: query.up_to_uid ?? (await findFolder(db, mailbox, name)).uid_next - 1,
          deleted: 0,
        }
        await noteProgress(db, request, { upToUid, deleted: before })
        const { deleted, hasMore } = await emptyFolder(db, mailbox, name, {
          ...{ upToUid, by, before },
          record: (tx, deleted) => noteProgress(tx, request, { upToUid, deleted }),
        })
        return ok({ deleted, has_more: hasMore, up_to_uid: upToUid, undoable: false })
      })
    },
  )
}
