import type { Db } from '#/base/db/schema.ts'
import { notFound, Refusal } from '#/base/errors.ts'
import type { Caller } from '#/http/access/caller.ts'
import { answerClaimed, noteProgress, progressOf } from '#/http/answers/claimed-key.ts'
import { created, ok } from '#/http/answers/idempotency.ts'
import type { App } from '#/http/app-type.ts'
import { paged, timedPlace } from '#/http/schemas/cursor.ts'
import { ById, pathId } from '#/http/schemas/shared-schemas.ts'
import { changeById, changesOf, insertUndo, leftAloneBy, type RecordedChange } from './queries.ts'
import type { RunningChanges } from './running-changes.ts'
import { ChangeList, ChangesQuery, defaultLimit, mostNamed, present, presentWhole, WholeChange } from './schemas.ts'

const noun = 'Changes'
export interface ChangeRoutesDependencies {
  readonly db: Db
  readonly runningChanges: RunningChanges
}

/** Changes of many messages, and their undo. */
export function changeRoutes(app: App, parts: ChangeRoutesDependencies): void {
  readRoutes(app, parts)
  undoRoute(app, parts)
}

function readRoutes(app: App, { db }: ChangeRoutesDependencies): void {
  app.get(
    '/v1/changes',
    {
      config: { scope: 'messages:read', noun },
      schema: {
        summary: 'List changes of many messages',
        operationId: 'listChanges',
        description: 'Lists the changes of the last 30 days, newest first. Any of them can be undone.',
        querystring: ChangesQuery,
        response: { 200: ChangeList },
      },
    },
    async ({ caller, query: { limit = defaultLimit, cursor } }) => {
      const list = [caller.organizationId, 'changes']
      const found = await changesOf(db, caller, { after: timedPlace(cursor, list), most: limit + 1 })
      const { page, next_cursor } = paged(found, { limit, list, placeOf: ({ at, id }) => [at, id] })
      return { data: page.map(present), next_cursor }
    },
  )

  app.get(
    '/v1/changes/:id',
    {
      config: { scope: 'messages:read', noun },
      schema: {
        summary: 'Show a change of many messages',
        operationId: 'getChange',
        description: 'For an undo, `left` names the messages that it left alone.',
        params: ById,
        response: { 200: WholeChange },
      },
    },
    async ({ caller, params }) => wholeChange(db, caller, pathId(params.id, 'change')),
  )
}

function undoRoute(app: App, { db, runningChanges }: ChangeRoutesDependencies): void {
  app.post(
    '/v1/changes/:id/undo',
    {
      config: { scope: 'messages:write', noun, errors: ['not_found', 'mail_unavailable', 'conflict'] },
      schema: {
        summary: 'Undo a change',
        operationId: 'undoChange',
        description:
          'Puts back what the change did to each message, except what was changed since. The answer lists the ' +
          'messages that were skipped. An undo is a change itself, and can be undone. A large one may still be ' +
          '`running` in the answer. If the change was undone before, the answer is 200 with that undo.',
        params: ById,
        response: { 200: WholeChange, 201: WholeChange },
      },
    },
    async (request, reply) => {
      const { caller, actor } = request
      const id = pathId(request.params.id, 'change')
      await answerClaimed(db, request, reply, async () => {
        const change = await changeFor(db, caller, id)
        const isNew = change.undoneBy === null || progressOf(request) !== undefined
        const undo = await db.transaction().execute(async (tx) => {
          const undo = await insertUndo(tx, caller.organizationId, id, actor)
          if (undo !== undefined && isNew) await noteProgress(tx, request, { undo })
          return undo
        })
        if (undo === undefined) throw stillRunning()
        await runningChanges.run(undo)
        const answer = await wholeChange(db, caller, undo)
        return isNew ? created(`/v1/changes/${undo}`, answer) : ok(answer)
      })
    },
  )
}

async function wholeChange(db: Db, caller: Caller, id: string) {
  const change = await changeById(db, caller, id)
  if (!change) throw notFound('change')
  const named = change.undoes !== null && change.leftAlone > 0
  return presentWhole(change, named ? await leftAloneBy(db, caller.organizationId, change.undoes, mostNamed) : [])
}

/** One that the caller may undo. */
async function changeFor(db: Db, caller: Caller, id: string): Promise<RecordedChange> {
  const change = await changeById(db, caller, id)
  if (!change) throw notFound('change')
  for (const mailbox of change.mailboxes) caller.assertMay('change', mailbox)
  return change
}

function stillRunning(): Refusal {
  return new Refusal('conflict', 'This change still runs', { fix: 'Wait until its state is done' })
}
