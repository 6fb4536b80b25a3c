import { Type } from 'typebox'
import type { Db } from '#/db/schema.ts'
import type { App } from '#/http/app-type.ts'
import { created, once } from '#/http/once.ts'
import { ById, Id, Line, ListOf, pathId, Strict, Timestamp } from '#/http/wire.ts'
import { organizationItself } from '#/organizations/owner.ts'
import { rulesChanged } from '#/organizations/rules-in-force.ts'
import { addLabel, changeLabel, removeLabel } from './catalogue.ts'
import { defaultColour, type Label, labelColour, labelName, mostLabels, namedColours } from './label.ts'
import { labelsOf } from './queries.ts'

const Keyword = Type.String({
  description: 'The IMAP keyword on messages; what `add_labels` and `remove_labels` take. Given by us, never changes.',
  examples: ['invoices'],
})

const LabelOut = Type.Object(
  {
    id: Id,
    name: Type.String({ examples: ['Invoices'] }),
    keyword: Keyword,
    colour: Type.String({ description: 'A named colour, or `#rrggbb` in lower case.', examples: ['amber'] }),
    created_at: Timestamp,
  },
  { title: 'Label' },
)

const name = Line({
  minLength: 1,
  description:
    '1 to 32 characters (code points) after trimming and Unicode NFC, at least one of them visible, no controls that ' +
    'change direction. Unique in the organization without regard to case.',
  examples: ['Invoices'],
})

const colour = Type.String({
  description: `\`#rrggbb\`, or one of ${namedColours.map((one) => `\`${one}\``).join(', ')}.`,
  examples: ['amber', '#1e90ff'],
})

/** The organization's catalogue of labels: names and colours, each for a keyword on messages. */
export function labelRoutes(app: App, { db }: { db: Db }): void {
  app.get(
    '/v1/labels',
    {
      config: { scope: 'labels:read', noun: 'Labels' },
      schema: {
        summary: 'List labels',
        description: "The organization's labels, oldest first. Members' own labels are not among them.",
        querystring: Strict({}),
        response: { 200: ListOf(LabelOut) },
      },
    },
    async ({ organizationId }) => ({ data: (await labelsOf(db, organizationId)).map(present) }),
  )

  app.post(
    '/v1/labels',
    {
      config: { scope: 'labels:write', noun: 'Labels' },
      schema: {
        summary: 'Create a label',
        description:
          'The keyword is derived from the name: the same name gives the same keyword, with a suffix (`invoices-2`) ' +
          'where another label of the organization or of a member, living or deleted, has it. A label made under the ' +
          'name of a deleted one takes up its keyword again, and so the messages that bear it. ' +
          `An organization has at most ${mostLabels.toLocaleString('en')} labels.`,
        querystring: Strict({}),
        body: Strict({ name, colour: Type.Optional(Type.String({ ...colour, default: defaultColour })) }),
        response: { 201: LabelOut },
      },
    },
    async (request, reply) => {
      const fields = { name: labelName(request.body.name), colour: labelColour(request.body.colour ?? defaultColour) }
      await once(db, request, reply, async (tx) => {
        const label = await addLabel(tx, organizationItself(request.organizationId), fields)
        return created(`/v1/labels/${label.id}`, present(label))
      })
      rulesChanged(db, request.organizationId)
      return reply
    },
  )

  app.patch(
    '/v1/labels/:id',
    {
      config: { scope: 'labels:write', noun: 'Labels' },
      schema: {
        summary: 'Rename or recolour a label',
        description: 'The keyword stays what it is.',
        params: ById,
        querystring: Strict({}),
        body: Strict({ name: Type.Optional(name), colour: Type.Optional(colour) }, { minProperties: 1 }),
        response: { 200: LabelOut },
      },
    },
    async ({ organizationId, params, body }) => {
      const change = {
        ...(body.name !== undefined && { name: labelName(body.name) }),
        ...(body.colour !== undefined && { colour: labelColour(body.colour) }),
      }
      const id = pathId(params.id, 'label')
      const owner = organizationItself(organizationId)
      return present(await db.transaction().execute((tx) => changeLabel(tx, owner, id, change)))
    },
  )

  app.delete(
    '/v1/labels/:id',
    {
      config: { scope: 'labels:write', noun: 'Labels' },
      schema: {
        summary: 'Delete a label',
        description:
          'The keyword stays on the messages, kept for a label of the same name. Filters that use the label stay, do ' +
          'nothing for it and show `"broken": "label_deleted"`.',
        params: ById,
        querystring: Strict({}),
        response: {
          200: Type.Object({ deleted: Type.Literal(true), id: Id, keyword_left_on_messages: Keyword }),
        },
      },
    },
    async ({ organizationId, params }) => {
      const id = pathId(params.id, 'label')
      const owner = organizationItself(organizationId)
      const keyword = await db.transaction().execute((tx) => removeLabel(tx, owner, id))
      rulesChanged(db, organizationId)
      return { deleted: true as const, id, keyword_left_on_messages: keyword }
    },
  )
}

function present({ created_at, ...label }: Label) {
  return { ...label, created_at: created_at.toISOString() }
}
