import { Id, Line, Nullable, OneOf, Strict, Timestamp } from '#/http/schemas/shared-schemas.ts'
import { Type } from '#/http/schemas/type.ts'
import {
  actions,
  assertArgumentFits,
  type Filter,
  type FilterFields,
  fields,
  filterName,
  filterValue,
  ops,
} from './filter.ts'
import { folderArgument } from './folder-argument.ts'

const name = Line({
  minLength: 1,
  description: '1 to 64 characters (code points) after trimming and Unicode NFC, at least one of them visible.',
  examples: ['Invoices from Ann'],
  rule: filterName,
})

const field = OneOf(fields, {
  description:
    '`from` looks at From and Sender, `to` at To, Cc and the address that the message was delivered to, `subject` at ' +
    'the subject; headers are decoded first.',
  examples: ['from'],
})

const op = OneOf(ops, {
  description:
    '`contains`: a part of a display name, an address or the subject. `is`: any whole address, or the whole subject ' +
    'with white space folded. Neither minds case or compatible forms (Unicode NFKC).',
  examples: ['contains'],
})

const value = Line({
  minLength: 1,
  maxLength: 120,
  description: 'What to match: text, never a pattern.',
  examples: ['ann@example.com'],
  rule: filterValue,
})

const action = OneOf(actions, {
  description:
    'All enabled filters that match act, in the order of their positions: labels add up, `star` and `read` apply, the ' +
    'first `move` wins.',
  examples: ['label'],
})

const argument = Nullable(
  Line({
    maxLength: 255,
    description:
      'For `move` a folder: `inbox`, `sent`, `drafts`, `archive`, `junk`, `trash` or a path such as `Projects/Apollo`, ' +
      'made where a mailbox lacks it; a path must not have a step `.` or `..`. ' +
      "For `label` the keyword of a label of the organization, or in a filter of one's " +
      "own also of one's own; its id or name is accepted and stored as the keyword. Refused for `star` and `read`.",
    examples: ['invoices'],
  }),
)

const position = Type.Number({
  minimum: 0,
  description:
    'Any number from 0 on, fractions too, so that a filter can be put between two others. Equal positions run in the ' +
    'order in which they were created. Without it, the largest plus 1.',
  examples: [1],
})

const enabled = Type.Boolean({ default: true, description: '`false` keeps the filter without running it.' })

const filterExample = {
  name: 'Invoices from Ann',
  field: 'from',
  op: 'contains',
  value: 'ann@example.com',
  action: 'move',
  argument: 'Invoices',
}

export const NewFilter = Strict(
  {
    name,
    field,
    op,
    value,
    action,
    argument: Type.Optional(argument),
    position: Type.Optional(position),
    enabled: Type.Optional(enabled),
  },
  { rule: [assertWhole, assertFolderFits], examples: [filterExample] },
)

function assertWhole({ action, argument = null }: Pick<FilterFields, 'action'> & { argument?: string | null }): void {
  if (actions.includes(action)) assertArgumentFits({ action, argument })
}

function assertFolderFits({ action, argument }: { action: string; argument?: unknown }): void {
  if (action === 'move' && typeof argument === 'string') folderArgument(argument)
}

export const FilterChange = Strict(
  {
    name: Type.Optional(name),
    field: Type.Optional(field),
    op: Type.Optional(op),
    value: Type.Optional(value),
    action: Type.Optional(action),
    argument: Type.Optional(argument),
    position: Type.Optional(position),
    enabled: Type.Optional(Type.Boolean()),
  },
  { minProperties: 1, examples: [{ enabled: false }] },
)

export const FilterOut = Type.Object(
  {
    id: Id,
    name: Type.String(),
    field: OneOf(fields),
    op: OneOf(ops),
    value: Type.String(),
    action: OneOf(actions),
    argument: Nullable(Type.String({ description: 'Null for `star` and `read`.', examples: ['invoices'] })),
    position: Type.Number(),
    enabled: Type.Boolean(),
    broken: Nullable(
      OneOf(['label_deleted'], {
        description: 'With `label_deleted`, the filter has no effect until a label has that keyword.',
      }),
    ),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Filter' },
)

/** A new filter as its caller gave it, its name and value checked. */
export function newFilter(
  body: Omit<FilterFields, 'argument' | 'enabled'> & {
    argument?: string | null
    enabled?: boolean
    position?: number
  },
): FilterFields & { position: number | undefined } {
  const { field, op, action, argument = null, enabled = true, position } = body
  const [name, value] = [filterName(body.name), filterValue(body.value)]
  return { name, field, op, value, action, argument, enabled, position }
}

export function present({ created_at, updated_at, ...filter }: Filter) {
  return { ...filter, created_at: created_at.toISOString(), updated_at: updated_at.toISOString() }
}
