import { invalid } from '#/base/errors.ts'
import { Id, Line, Nullable, Strict } from '#/http/schemas/shared-schemas.ts'
import { type Static, Type } from '#/http/schemas/type.ts'
import { newFolderName } from '#/mail/store/folder-name.ts'
import { highestUid } from '../message.ts'
import { givenId, messageId } from '../schemas.ts'

const keywords = Type.Array(Line({ minLength: 1, maxLength: 64, examples: ['invoices'] }), {
  maxItems: 100,
  description: "Keywords of the organization's labels, not names; in a session also of the member's own.",
})

const changeFields = {
  unread: Type.Optional(Type.Boolean()),
  starred: Type.Optional(Type.Boolean()),
  add_labels: Type.Optional(keywords),
  remove_labels: Type.Optional(keywords),
  folder: Type.Optional(
    Type.String({
      description:
        'Moves there, under a new uid. A missing folder is created. A path with a step `.` ' +
        'or `..` is `invalid_request`.',
      examples: ['archive'],
      rule: newFolderName,
    }),
  ),
}

export const MessageChange = Strict(changeFields, {
  minProperties: 1,
  rule: assertLabelsApart,
  examples: [{ unread: false, starred: true }],
})
export type MessageChange = Static<typeof MessageChange>

export const uid = Type.Integer({ minimum: 1, maximum: highestUid, examples: [17] })

/** Messages of one request. */
export const mostAtOnce = 500

const uids = Type.Array(uid, {
  minItems: 1,
  maxItems: mostAtOnce,
  description: 'For example the `uids` of a thread, or of one of the `places` of a conversation.',
})

/** The messages of a request on many: `uids`, or `ids` in their place. */
export const manyMessages = {
  uids: Type.Optional(uids),
  ids: Type.Optional(
    Type.Array(givenId, {
      minItems: 1,
      maxItems: mostAtOnce,
      description:
        'In place of `uids`, `mailbox` and `folder`: messages of any folders and mailboxes, such as the `ids` of a thread.',
    }),
  ),
}

/** @throws Refusal unless a request names messages in one of both ways */
export function assertOneWay({ uids, ids }: { readonly uids?: unknown; readonly ids?: unknown }): void {
  if (uids === undefined && ids === undefined) throw invalid('uids', 'uids or ids is required')
  if (uids !== undefined && ids !== undefined) throw invalid('ids', 'Give either uids or ids')
}

export const BulkChange = Strict(
  { ...manyMessages, ...changeFields },
  {
    rule: (change: MessageChange & Parameters<typeof assertOneWay>[0]) => {
      assertOneWay(change)
      assertLabelsApart(change)
    },
    examples: [{ uids: [17], unread: false, starred: true }],
  },
)

/** A message as a request names it. */
export const uidOrId = Type.Unsafe<number | string>({ anyOf: [uid, messageId] })

export const BulkResult = Type.Object({
  change_id: Nullable({ ...Id, description: 'Undoes the change; null if nothing has changed.' }),
  updated: Type.Array(uidOrId, {
    description:
      'The messages as the request names them: by uids as they were before the change, in ascending order, or ' +
      'by ids.',
  }),
  not_found: Type.Array(uidOrId),
  moved: Type.Array(Type.Object({ id: messageId, uid, new_uid: uid }), {
    description: 'If you named uids: the new ones after a move, in the same order. An id stays.',
  }),
})

/** No label may be both added and removed. */
export function assertLabelsApart({ add_labels = [], remove_labels = [] }: MessageChange): void {
  const both = add_labels.find((keyword) => remove_labels.includes(keyword))
  if (both !== undefined) throw invalid('remove_labels', `${JSON.stringify(both)} is in add_labels too`)
}
