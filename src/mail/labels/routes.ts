import type { Db } from '#/base/db/schema.ts'
import { invalid, notFound } from '#/base/errors.ts'
import { invalidateRules } from '#/base/ownership/rule-cache.ts'
import type { Caller } from '#/http/access/caller.ts'
import type { OwnedRoutes } from '#/http/access/owned-routes.ts'
import { changeOnce } from '#/http/answers/claimed-key.ts'
import { answerOnce, created } from '#/http/answers/idempotency.ts'
import type { App } from '#/http/app-type.ts'
import { pagedWhole } from '#/http/schemas/cursor.ts'
import { ById, Id, ListOf, pathId, Strict } from '#/http/schemas/shared-schemas.ts'
import { type Static, Type } from '#/http/schemas/type.ts'
import { addLabel, changeLabel, removeLabel } from './catalogue.ts'
import { beginEverywhere, finishSoon } from './everywhere.ts'
import { defaultColour, type Label, labelColour, labelName, mostLabels } from './label.ts'
import { countsOf, type LabelDependencies, orphanRoutes } from './orphan-routes.ts'
import { labelById, labelsOf } from './queries.ts'
import { ChangeId, Keyword, LabelChange, LabelOut, LabelQuery, LabelsQuery, NewLabel, present } from './schemas.ts'

/** An owner's catalogue of labels: names and colours, each for a keyword on messages. */
export function labelRoutes(app: App, parts: LabelDependencies, of: OwnedRoutes): void {
  const { db } = parts
  listRoute(app, parts, of)
  if (!of.own) orphanRoutes(app, parts)
  readRoute(app, parts, of)
  createRoute(app, db, of)
  changeRoute(app, db, of)
  deleteRoute(app, parts, of)
}

function listRoute(app: App, parts: LabelDependencies, { own, at, access, named, ownerIn }: OwnedRoutes): void {
  app.get(
    at('/v1/labels'),
    {
      ...access('labels:read', 'Labels', ['not_found']),
      schema: {
        ...named('List labels', 'listLabels', 'listOwnLabels'),
        querystring: LabelsQuery,
        description: own
          ? "The member's own labels, oldest first. The organization's are not among them."
          : "The organization's labels, oldest first. Members' own labels are not among them.",
        response: { 200: ListOf(LabelOut) },
      },
    },
    async (request) => {
      const { caller, query } = request
      const labels = await labelsOf(parts.db, ownerIn(request))
      const totals = await countsAsked(parts, caller, query)
      const list = [caller.organizationId, 'labels', ownerIn(request).memberId]
      const { page, next_cursor } = pagedWhole(labels, query, {
        list,
        placeOf: ({ created_at: at, id }) => [at.getTime(), id],
      })
      return { data: page.map((label) => presentWith(totals, label)), next_cursor }
    },
  )
}

function readRoute(app: App, parts: LabelDependencies, { at, access, named, ownerIn }: OwnedRoutes): void {
  app.get(
    at('/v1/labels/:id'),
    {
      ...access('labels:read', 'Labels', ['not_found']),
      schema: {
        ...named('Show a label', 'getLabel', 'getOwnLabel'),
        params: ById,
        querystring: LabelQuery,
        response: { 200: LabelOut },
      },
    },
    async (request) => {
      const { caller, params, query } = request
      const label = await labelById(parts.db, ownerIn(request), pathId(params.id, 'label'))
      if (!label) throw notFound('label')
      return presentWith(await countsAsked(parts, caller, query), label)
    },
  )
}

/** Undefined if they are not asked for. @throws Refusal for a mailbox by itself, which would choose nothing */
async function countsAsked(parts: LabelDependencies, caller: Caller, { counts, mailbox }: Static<typeof LabelQuery>) {
  if (counts) return countsOf(parts, caller, mailbox)
  if (mailbox !== undefined) throw invalid('mailbox', 'mailbox is for counts=true')
  return undefined
}

function presentWith(totals: Awaited<ReturnType<typeof countsAsked>>, label: Label) {
  return present(label, totals && (totals.get(label.keyword) ?? { messages: 0, unread: 0 }))
}

function createRoute(app: App, db: Db, { own, at, access, named, ownerIn }: OwnedRoutes): void {
  app.post(
    at('/v1/labels'),
    {
      ...access('labels:write', 'Labels'),
      schema: {
        ...named('Create a label', 'createLabel', 'createOwnLabel'),
        description:
          'The keyword is derived from the name: the same name gives the same keyword, with a suffix (`invoices-2`) ' +
          'if another label of the organization or of a member, which may be deleted, has it. A label made under the ' +
          'name of a deleted one gets its keyword back, and with it the messages that have it. ' +
          `${own ? 'A member' : 'An organization'} has at most ${mostLabels.toLocaleString('en')} labels.`,
        body: NewLabel,
        response: { 201: LabelOut },
      },
    },
    async (request, reply) => {
      const fields = { name: labelName(request.body.name), colour: labelColour(request.body.colour ?? defaultColour) }
      await answerOnce(db, request, reply, async (tx) => {
        const label = await addLabel(tx, ownerIn(request), fields, request.actor)
        return created(`${at('/v1/labels')}/${label.id}`, present(label))
      })
      invalidateRules(db, request.organizationId)
    },
  )
}

function changeRoute(app: App, db: Db, { at, access, named, ownerIn }: OwnedRoutes): void {
  app.patch(
    at('/v1/labels/:id'),
    {
      ...access('labels:write', 'Labels'),
      schema: {
        ...named('Rename or recolour a label', 'updateLabel', 'updateOwnLabel'),
        description: 'The label keeps its keyword.',
        params: ById,
        body: LabelChange,
        response: { 200: LabelOut },
      },
    },
    async (request) => {
      const { actor, params, body } = request
      const change = {
        ...(body.name !== undefined && { name: labelName(body.name) }),
        ...(body.colour !== undefined && { colour: labelColour(body.colour) }),
      }
      const id = pathId(params.id, 'label')
      const owner = ownerIn(request)
      return await changeOnce(db, request, async (tx) => present(await changeLabel(tx, owner, id, change, actor)))
    },
  )
}

function deleteRoute(
  app: App,
  { db, runningChanges }: LabelDependencies,
  { at, access, named, ownerIn }: OwnedRoutes,
): void {
  app.delete(
    at('/v1/labels/:id'),
    {
      ...access('labels:write', 'Labels'),
      schema: {
        ...named('Delete a label', 'deleteLabel', 'deleteOwnLabel'),
        description:
          'The keyword stays on the messages, and is kept for a label of the same name. Filters that use the label stay; ' +
          'they do nothing, and show `"broken": "label_deleted"`. With `from_messages` the keyword is taken from all messages ' +
          'that the caller may change, which may go on after the answer.',
        params: ById,
        querystring: Strict({ from_messages: Type.Optional(Type.Boolean()) }),
        response: {
          200: Type.Object({
            deleted: Type.Literal(true),
            id: Id,
            keyword_left_on_messages: Type.Optional(Keyword),
            // An answer without it is the usual one.
            change_id: Type.Optional({ ...ChangeId, examples: [undefined] }),
          }),
        },
      },
    },
    async (request) => {
      const { organizationId, caller, actor, params, query } = request
      const id = pathId(params.id, 'label')
      const owner = ownerIn(request)
      const answer = await changeOnce(db, request, async (tx) => {
        const keyword = await removeLabel(tx, owner, id, actor)
        return query.from_messages
          ? { deleted: true as const, id, change_id: await beginEverywhere(tx, caller, actor, keyword) }
          : { deleted: true as const, id, keyword_left_on_messages: keyword }
      })
      invalidateRules(db, organizationId)
      if (answer.change_id !== undefined) await finishSoon(runningChanges, answer.change_id)
      return answer
    },
  )
}
