import type { Db } from '#/base/db/schema.ts'
import { answerClaimed, noteProgress, progressOf } from '#/http/answers/claimed-key.ts'
import { created, ok } from '#/http/answers/idempotency.ts'
import type { App } from '#/http/app-type.ts'
import { pagedWhole } from '#/http/schemas/cursor.ts'
import type { RunningChanges } from '#/mail/changes/running-changes.ts'
import { mailboxFor } from '#/mail/mailboxes/readable.ts'
import { InMailbox } from '#/mail/messages/query-schemas.ts'
import { standardFolders } from '#/mail/store/folder-name.ts'
import { type FolderKey, type FolderStatus, folderStatuses } from '#/mail/store/folders.ts'
import { type BegunDeletion, deleteFolder } from './delete-folder.ts'
import {
  announceFolders,
  createFolder,
  folderNamed,
  pathFolder,
  readFolder,
  renamedFolder,
  renameFolder,
} from './folders.ts'
import {
  ByPath,
  DeletedFolder,
  DeletingFolder,
  FolderBody,
  FolderChange,
  FolderOut,
  Folders,
  FoldersQuery,
  presentFolder,
} from './schemas.ts'

interface FolderDependencies {
  readonly db: Db
  readonly runningChanges: RunningChanges
}

const config = { noun: 'Folders', errors: ['not_found', 'mail_unavailable'] } as const
const reading = { ...config, scope: 'messages:read' } as const
const writing = { ...config, scope: 'messages:write' } as const

/** The folders of a mailbox. */
export function folderRoutes(app: App, parts: FolderDependencies): void {
  readRoutes(app, parts)
  createRoute(app, parts)
  changeRoutes(app, parts)
}

function readRoutes(app: App, { db }: FolderDependencies): void {
  app.get(
    '/v1/folders',
    {
      config: reading,
      schema: {
        summary: 'List folders',
        operationId: 'listFolders',
        description: 'Lists the six folders that every mailbox has, and then the others by name, with exact counts.',
        querystring: FoldersQuery,
        response: { 200: Folders },
      },
    },
    async ({ caller, query }) => {
      const mailbox = await mailboxFor(db, caller, 'read', query.mailbox)
      const folders = await folderStatuses(db, mailbox)
      const list = [mailbox.mailboxId, 'folders']
      const { page, next_cursor } = pagedWhole(folders, query, { list, placeOf })
      return { data: page.map(presentFolder), next_cursor }
    },
  )

  app.get(
    '/v1/folders/:path',
    {
      config: reading,
      schema: {
        summary: 'Show a folder',
        operationId: 'getFolder',
        params: ByPath,
        querystring: InMailbox,
        response: { 200: FolderOut },
      },
    },
    async ({ caller, params, query }) => {
      const name = pathFolder(params.path)
      return presentFolder(await readFolder(db, await mailboxFor(db, caller, 'read', query.mailbox), name))
    },
  )
}

/** The six come first. */
function placeOf({ name }: FolderStatus): [number, string] {
  const at = (standardFolders as readonly string[]).indexOf(name)
  return [at < 0 ? standardFolders.length : at, name]
}

function createRoute(app: App, { db }: FolderDependencies): void {
  app.post(
    '/v1/folders',
    {
      config: writing,
      schema: {
        summary: 'Create a folder',
        operationId: 'createFolder',
        description: 'If the folder is there already, the answer is 200.',
        querystring: InMailbox,
        body: FolderBody,
        response: { 200: FolderOut, 201: FolderOut },
      },
    },
    async (request, reply) => {
      const name = folderNamed('name', request.body.name)
      const address = request.query.mailbox
      const mailbox = await mailboxFor(db, request.caller, 'change', address)
      await answerClaimed(db, request, reply, async () => {
        const isBegun = progressOf(request) !== undefined
        const note = () => noteProgress(db, request, { name })
        const { made, folder } = await createFolder(db, mailbox, name, note)
        const location = `/v1/folders/${encodeURIComponent(name)}?${new URLSearchParams({ mailbox: address })}`
        const answer = presentFolder(folder)
        if (made) await announceFolders(db, mailbox, request.actor)
        return made || isBegun ? created(location, answer) : ok(answer)
      })
    },
  )
}

function changeRoutes(app: App, { db, runningChanges }: FolderDependencies): void {
  app.patch(
    '/v1/folders/:path',
    {
      config: writing,
      schema: {
        summary: 'Rename a folder',
        operationId: 'renameFolder',
        description:
          'Renames the folder together with the folders within it. Messages keep their uids, and ids of threads ' +
          'change. A filter that moves mail to the old name creates that folder again.',
        params: ByPath,
        querystring: InMailbox,
        body: FolderChange,
        response: { 200: FolderOut },
      },
    },
    async (request) => {
      const { caller, actor, params, query, body } = request
      const name = pathFolder(params.path)
      const to = folderNamed('name', body.name)
      const mailbox = await mailboxFor(db, caller, 'change', query.mailbox)
      const begun = progressOf<FolderKey>(request)
      const folder =
        (begun && (await renamedFolder(db, mailbox, begun, to))) ??
        (await renameFolder(db, mailbox, name, to, (before) => noteProgress(db, request, before)))
      await announceFolders(db, mailbox, actor)
      return presentFolder(folder)
    },
  )

  app.delete(
    '/v1/folders/:path',
    {
      config: { ...writing, errors: [...writing.errors, 'conflict'] },
      schema: {
        summary: 'Delete a folder',
        operationId: 'deleteFolder',
        description:
          'Deletes an empty folder. With `move_to` the folder may have up to 5,000 messages, which move there in ' +
          'steps of 500. If a step is refused, the rest stays in the folder. If the database is away, or the ' +
          'process ends, the deletion goes on later. A folder that has folders within it is `invalid_request`.',
        params: ByPath,
        querystring: DeletingFolder,
        response: { 200: DeletedFolder },
      },
    },
    async (request) => {
      const { caller, actor, params, query } = request
      const name = pathFolder(params.path)
      const moveTo = query.move_to === undefined ? undefined : folderNamed('move_to', query.move_to)
      const mailbox = await mailboxFor(db, caller, 'change', query.mailbox)
      const { moved, changeId } = await deleteFolder({ db, runningChanges }, mailbox, name, {
        ...{ moveTo, by: actor, begun: progressOf<BegunDeletion>(request) },
        note: (where, begun) => noteProgress(where, request, begun),
      })
      await announceFolders(db, mailbox, actor)
      return { deleted: true as const, name, moved, change_id: changeId }
    },
  )
}
