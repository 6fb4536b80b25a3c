import { Id, Line, Nullable, Strict } from '#/http/schemas/shared-schemas.ts'
import { type Static, Type } from '#/http/schemas/type.ts'
import { newFolderName } from '../folders/folder-name.ts'
import { highestUid } from '../message.ts'
import { assertLabelsApart } from './change.ts'

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
        'Moves there, under a new uid. A missing folder is created. A folder that this mail host refuses, or any would (a ' +
        'path with a step `.`, `..` or `dbox-Mails`, or that begins with `~`), is `invalid_request`.',
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

export const uids = Type.Array(uid, {
  minItems: 1,
  maxItems: mostAtOnce,
  description: 'For example the `uids` of a thread, or of one of the `places` of a conversation.',
})

export const BulkChange = Strict(
  { uids, ...changeFields },
  { rule: assertLabelsApart, examples: [{ uids: [17], unread: false, starred: true }] },
)

export const BulkResult = Type.Object({
  change_id: Nullable({ ...Id, description: 'Undoes the change; null if nothing has changed.' }),
  updated: Type.Array(uid, { description: 'In ascending order, as they were before the change.' }),
  not_found: Type.Array(uid),
  moved: Type.Array(Type.Object({ uid, new_uid: uid }), {
    description: 'The new uids after a move, in the same order.',
  }),
})
