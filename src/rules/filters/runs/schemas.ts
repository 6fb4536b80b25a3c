import { publicId } from '#/base/text/message-id.ts'
import {
  cursorParameter,
  Id,
  Line,
  ListOf,
  Nullable,
  OneOf,
  ReadPart,
  Strict,
  Timestamp,
} from '#/http/schemas/shared-schemas.ts'
import { type Static, Type } from '#/http/schemas/type.ts'
import { messageId } from '#/mail/messages/schemas.ts'
import { actions, fields, ops } from '../filter.ts'
import { TrialResult } from '../trial-schemas.ts'
import { mostNamed, mostSamples, type Run } from './run.ts'

const count = Type.Integer({ minimum: 0 })

export const NewRun = Strict(
  {
    mailboxes: Type.Optional(
      Type.Array(Line({ maxLength: 320, examples: ['support@tryout.test'] }), {
        minItems: 1,
        maxItems: mostNamed,
        description:
          "Addresses. Without it, all Smart mailboxes whose mail the caller may change; for a member's own filters, the member's own mailbox.",
      }),
    ),
    folders: Type.Optional(
      Type.Array(Type.String({ examples: ['inbox'] }), {
        minItems: 1,
        maxItems: mostNamed,
        default: ['inbox'],
        description: '`inbox` if left out. A mailbox without the folder is skipped.',
      }),
    ),
    preview: Type.Optional(
      Type.Boolean({
        default: false,
        description: '`true` shows what a run would do and changes nothing.',
      }),
    ),
  },
  { examples: [{ mailboxes: ['support@tryout.test'], folders: ['inbox', 'archive'], preview: true }] },
)
export type NewRun = Static<typeof NewRun>

const RunFilterOut = Type.Object({
  filter_id: Id,
  name: Type.String(),
  field: OneOf(fields),
  op: OneOf(ops),
  value: Type.String(),
  action: OneOf(actions),
  argument: Nullable(Type.String()),
  matched: Type.Integer({ minimum: 0, description: 'How many messages the filter matched.' }),
  applied: Type.Integer({
    minimum: 0,
    description: 'How many messages the filter acted on: no earlier filter had moved them, and its label exists.',
  }),
})

const SampleOut = Type.Object({
  id: Nullable({ ...messageId, description: 'Null if the message is no longer there.' }),
  mailbox: Type.String({ examples: ['support@tryout.test'] }),
  folder: Type.String({ examples: ['inbox'] }),
  uid: Type.Integer({ minimum: 1 }),
  subject: Type.String(),
  ...TrialResult.properties,
})

const listed = {
  id: Id,
  filter_id: Nullable(
    Type.String({ format: 'uuid', description: 'The only filter of the run; null if all run, in their order.' }),
  ),
  preview: Type.Boolean(),
  mailboxes: Nullable(Type.Array(Type.String(), { description: 'The addresses that the request gave; null for all.' })),
  folders: Type.Array(Type.String(), { examples: [['inbox']] }),
  state: OneOf(['running', 'done', 'cancelled', 'failed'], {
    description: '`failed`: `last_error` says why. Changes that were made stay.',
  }),
  total: Nullable(
    Type.Integer({
      minimum: 0,
      description: 'How many messages there are to look at, counted at the beginning; null before that.',
    }),
  ),
  seen: Type.Integer({ minimum: 0, description: 'How many messages were looked at.' }),
  matched: Type.Integer({ minimum: 0, description: 'How many messages any filter matched.' }),
  changed: Type.Integer({ minimum: 0, description: 'How many messages were changed, or in a preview would be.' }),
  moved: count,
  labelled: count,
  starred: count,
  read: count,
  filters: Type.Array(RunFilterOut, {
    description: 'The filters as they were when the run began, in the order in which they run.',
  }),
  change_id: Nullable(
    Type.String({
      format: 'uuid',
      description: 'Undoes the run once it has ended; null if nothing was changed.',
    }),
  ),
  last_error: Nullable(Type.String()),
  created_at: Timestamp,
  finished_at: Nullable(Timestamp),
}

export const RunItem = Type.Object(listed, { title: 'FilterRunItem' })

export const RunOut = Type.Object(
  {
    ...listed,
    sample: Type.Array(SampleOut, {
      description: `Of a preview the first ${mostSamples} messages that match: why, and what each would end as.`,
    }),
  },
  { title: 'FilterRun' },
)

/** What says nothing of the mail that a run went through. */
export const stateOfRun = [
  ...(['id', 'filter_id', 'preview', 'mailboxes', 'folders'] as const),
  ...(['state', 'change_id', 'created_at', 'finished_at'] as const),
] as const

export const CancelledRun = ReadPart(RunOut, stateOfRun, { title: 'CancelledFilterRun', scope: 'messages:read' })

export const defaultLimit = 50
export const RunQuery = Strict({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: defaultLimit })),
  cursor: cursorParameter,
})
export const RunList = ListOf(RunItem)

export function presentItem(run: Run): Static<typeof RunItem> {
  const { filters, ...counts } = run.counts
  return {
    id: run.id,
    filter_id: run.filterId,
    preview: run.preview,
    mailboxes: run.mailboxes && [...run.mailboxes],
    folders: [...run.folders],
    state: run.state,
    total: run.total,
    seen: run.seen,
    ...counts,
    filters: run.filters.map(({ id, ...filter }, index) => {
      const { matched = 0, applied = 0 } = filters[index] ?? {}
      return { filter_id: id, ...filter, matched, applied }
    }),
    change_id: run.changeId,
    last_error: run.lastError,
    created_at: run.createdAt.toISOString(),
    finished_at: run.finishedAt?.toISOString() ?? null,
  }
}

export function present(run: Run): Static<typeof RunOut> {
  const sample = run.sample.map(({ id = null, ...one }) => ({ id: id === null ? null : publicId(id), ...one }))
  return { ...presentItem(run), sample }
}
