import { Line, paging, Strict } from '#/http/schemas/shared-schemas.ts'
import { Type } from '#/http/schemas/type.ts'
import { highestUid } from './message.ts'

/** The mailbox and folder of a query on messages. */
export const inFolder = {
  mailbox: Line({
    minLength: 1,
    maxLength: 320,
    description: 'Address of a mailbox.',
    examples: ['support@tryout.test'],
  }),
  folder: Type.Optional(
    Type.String({
      default: 'inbox',
      description:
        '`inbox`, `sent`, `drafts`, `archive`, `junk`, `trash` (in any case; `spam` is `junk`), or the path of another ' +
        'folder. One that the mailbox lacks is `invalid_request`.',
      examples: ['inbox', 'Projects/Apollo'],
    }),
  ),
}

export const InMailbox = Strict({ mailbox: inFolder.mailbox })
export const InFolder = Strict(inFolder)

export const ListQuery = Strict({
  ...inFolder,
  ...paging(100, 25),
  unread: Type.Optional(Type.Boolean({ description: '`true` for unread messages alone, `false` for read ones.' })),
  label: Type.Optional(
    Line({ minLength: 1, description: 'The keyword of a label, living or deleted.', examples: ['invoices'] }),
  ),
  uids: Type.Optional(
    Type.String({
      pattern: '^[1-9][0-9]{0,9}(,[1-9][0-9]{0,9}){0,99}$',
      form: 'up to 100 uids with commas between them, such as 17,18',
      description: 'Up to 100 uids: those that are in the folder, on one page. Cannot be combined with other filters.',
      examples: ['17,18'],
    }),
  ),
  after_uid: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: highestUid,
      description:
        'Messages that came into the folder after this uid, by ascending uid. `total` counts those of the ' +
        'answer. Can be combined with `limit` and `cursor` only.',
    }),
  ),
})

/** The uid in a path. The route checks its form: an invalid one is `not_found`. */
export const pathUidSchema = Type.Unsafe<string>({
  type: 'integer',
  minimum: 1,
  maximum: highestUid,
  description: 'Of the message in its folder.',
})

export const ByUid = Type.Object({ uid: pathUidSchema })
