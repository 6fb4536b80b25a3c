import { publicId } from '#/base/text/message-id.ts'
import { cursorParameter, Id, ListOf, Nullable, OneOf, Strict, Timestamp } from '#/http/schemas/shared-schemas.ts'
import { type Static, Type } from '#/http/schemas/type.ts'
import { effects, type leftAloneBy, type RecordedChange } from './queries.ts'

const kinds = ['messages', 'filters', 'label_removed', 'labels_merged', 'folder_deleted', 'undo'] as const

/** Messages that an undo left alone, as they are listed. */
export const mostNamed = 500

const changeFields = {
  id: Id,
  kind: OneOf(kinds, {
    description:
      '`messages`: many were changed or moved by one request. `filters`: filters ran over old mail. `undo`: another change was undone.',
  }),
  state: OneOf(['running', 'done', 'failed'], {
    description:
      '`running`: more messages follow. `failed`: it ended early; what it did until then stays, and can be undone.',
  }),
  error: Nullable(Type.String({ description: 'Why it failed.', examples: ['The folder has messages'] })),
  mailboxes: Type.Array(Type.String({ examples: ['ada@tryout.test'] })),
  by: Type.Object({
    kind: OneOf(['key', 'operator', 'member', 'service', 'single_sign_on']),
    name: Type.String({ examples: ['ann@tryout.test'] }),
  }),
  at: Timestamp,
  messages: Type.Integer({ minimum: 0, description: 'The number of messages that were changed.' }),
  did: Type.Array(OneOf(effects), { description: 'What was done to at least one of them.' }),
  moved_to: Type.Array(Type.String({ examples: ['archive'] }), {
    description: 'The folders that messages were moved to.',
  }),
  left_alone: Type.Integer({
    minimum: 0,
    description: 'The number of messages that an undo did not put back, or only in part.',
  }),
  undoes: Nullable({ ...Id, description: 'The change that this one undoes.' }),
  undone_by: Nullable({ ...Id, description: 'The change that undid this one.' }),
}

export const ChangeOut = Type.Object(changeFields, { title: 'Change' })

const LeftAlone = Type.Object(
  {
    mailbox: Type.String({ examples: ['ada@tryout.test'] }),
    id: Nullable(
      Type.String({ description: 'The id of the message. Null if it is no longer there.', examples: ['m2s'] }),
    ),
    folder: Type.String({ examples: ['archive'] }),
    uid: Type.Integer({ minimum: 1, examples: [17] }),
    reason: OneOf(['gone', 'moved', 'changed', 'refused'], {
      description:
        '`gone`: it was deleted, or moved by a change that is not on record. `moved`: it is in another folder and stays there. ' +
        '`changed`: a flag or label is no longer as the change left it, and stays. `refused`: the mail host refused it.',
    }),
  },
  { title: 'LeftAlone' },
)

export const WholeChange = Type.Object(
  {
    ...changeFields,
    left: Type.Array(LeftAlone, { description: `The messages that \`left_alone\` counts, at most ${mostNamed}.` }),
  },
  { title: 'WholeChange' },
)

export const ChangesQuery = Strict({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
  cursor: cursorParameter,
})

export const ChangeList = ListOf(ChangeOut)

export const defaultLimit = 50

export function present(change: RecordedChange): Static<typeof ChangeOut> {
  const { id, kind, state, error, mailboxes, actorKind, actorName, made, messages, done, leftAlone, undoes, undoneBy } =
    change
  return {
    ...{
      id,
      kind,
      state,
      error,
      mailboxes: mailboxes.map(({ address }) => address),
      by: { kind: actorKind, name: actorName },
      at: made.toISOString(),
    },
    ...{ messages, did: done.what, moved_to: done.movedTo, left_alone: leftAlone, undoes, undone_by: undoneBy },
  }
}

export function presentWhole(
  change: RecordedChange,
  left: Awaited<ReturnType<typeof leftAloneBy>>,
): Static<typeof WholeChange> {
  return { ...present(change), left: left.map(({ id, ...one }) => ({ id: id === null ? null : publicId(id), ...one })) }
}
