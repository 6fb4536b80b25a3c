import type { Db } from '#/db/schema.ts'
import { notFound } from '#/errors.ts'
import type { App } from '#/http/app-type.ts'
import { answerOnce, created } from '#/http/idempotency.ts'
import { ById, Id, ListOf, pathId } from '#/http/shared-schemas.ts'
import { Type } from '#/http/type.ts'
import { organizationItself } from '#/organizations/owner.ts'
import { invalidateRules } from '#/organizations/rule-cache.ts'
import { addLabel, changeLabel, removeLabel } from './catalogue.ts'
import { defaultColour, labelColour, labelName, mostLabels } from './label.ts'
import { labelById, labelsOf } from './queries.ts'
import { Keyword, LabelChange, LabelOut, NewLabel, present } from './schemas.ts'

const reading = { scope: 'labels:read', noun: 'Labels' } as const
const writing = { scope: 'labels:write', noun: 'Labels' } as const

/** The organization's catalogue of labels: names and colours, each for a keyword on messages. */
export function labelRoutes(app: App, { db }: { db: Db }): void {
  listRoute(app, db)
  readRoute(app, db)
  createRoute(app, db)
  changeRoutes(app, db)
}

function listRoute(app: App, db: Db): void {
  app.get(
    '/v1/labels',
    {
      config: reading,
      schema: {
        summary: 'List labels',
        description: "The organization's labels, oldest first. Members' own labels are not among them.",
        response: { 200: ListOf(LabelOut) },
      },
    },
    async ({ organizationId }) => ({ data: (await labelsOf(db, organizationId)).map(present) }),
  )
}

function readRoute(app: App, db: Db): void {
  app.get(
    '/v1/labels/:id',
    {
      config: reading,
      schema: { summary: 'Show a label', params: ById, response: { 200: LabelOut } },
    },
    async ({ organizationId, params }) => {
      const label = await labelById(db, organizationItself(organizationId), pathId(params.id, 'label'))
      if (!label) throw notFound('label')
      return present(label)
    },
  )
}

function createRoute(app: App, db: Db): void {
  app.post(
    '/v1/labels',
    {
      config: writing,
      schema: {
        summary: 'Create a label',
        description:
          'The keyword is derived from the name: the same name gives the same keyword, with a suffix (`invoices-2`) ' +
          'where another label of the organization or of a member, living or deleted, has it. A label made under the ' +
          'name of a deleted one takes up its keyword again, and so the messages that bear it. ' +
          `An organization has at most ${mostLabels.toLocaleString('en')} labels.`,
        body: NewLabel,
        response: { 201: LabelOut },
      },
    },
    async (request, reply) => {
      const fields = { name: labelName(request.body.name), colour: labelColour(request.body.colour ?? defaultColour) }
      await answerOnce(db, request, reply, async (tx) => {
        const label = await addLabel(tx, organizationItself(request.organizationId), fields, request.actor)
        return created(`/v1/labels/${label.id}`, present(label))
      })
      invalidateRules(db, request.organizationId)
      return reply
    },
  )
}

function changeRoutes(app: App, db: Db): void {
  app.patch(
    '/v1/labels/:id',
    {
      config: writing,
      schema: {
        summary: 'Rename or recolour a label',
        operationId: 'changeLabel',
        description: 'The keyword stays what it is.',
        params: ById,
        body: LabelChange,
        response: { 200: LabelOut },
      },
    },
    async ({ organizationId, actor, params, body }) => {
      const change = {
        ...(body.name !== undefined && { name: labelName(body.name) }),
        ...(body.colour !== undefined && { colour: labelColour(body.colour) }),
      }
      const id = pathId(params.id, 'label')
      const owner = organizationItself(organizationId)
      return present(await db.transaction().execute((tx) => changeLabel(tx, owner, id, change, actor)))
    },
  )

  app.delete(
    '/v1/labels/:id',
    {
      config: writing,
      schema: {
        summary: 'Delete a label',
        description:
          'The keyword stays on the messages, kept for a label of the same name. Filters that use the label stay, do ' +
          'nothing for it and show `"broken": "label_deleted"`.',
        params: ById,
        response: {
          200: Type.Object({ deleted: Type.Literal(true), id: Id, keyword_left_on_messages: Keyword }),
        },
      },
    },
    async ({ organizationId, actor, params }) => {
      const id = pathId(params.id, 'label')
      const owner = organizationItself(organizationId)
      const keyword = await db.transaction().execute((tx) => removeLabel(tx, owner, id, actor))
      invalidateRules(db, organizationId)
      return { deleted: true as const, id, keyword_left_on_messages: keyword }
    },
  )
}
