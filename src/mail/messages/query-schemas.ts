import { Line, paging, Strict } from '#/http/schemas/shared-schemas.ts'
import { Type } from '#/http/schemas/type.ts'
import { highestUid } from './message.ts'

const folders = ['inbox', 'Projects/Apollo']
const folder =
  '`inbox`, `sent`, `drafts`, `archive`, `junk`, `trash` (in any case; `spam` is `junk`), or the path of another ' +
  'folder. One that the mailbox lacks is `invalid_request`.'

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
      description: folder,
      examples: folders,
    }),
  ),
}

export const InMailbox = Strict({ mailbox: inFolder.mailbox })
export const InFolder = Strict(inFolder)

/** The same where a request may name messages by their ids alone. */
export const besideUids = {
  mailbox: Type.Optional(
    Line({
      minLength: 1,
      maxLength: 320,
      description: 'The address of the mailbox. Give it with a uid, and not with an id.',
      examples: ['support@tryout.test'],
    }),
  ),
  folder: Type.Optional(
    Type.String({
      default: 'inbox',
      description: `The folder of the uid; do not give it with an id. ${folder}`,
      examples: folders,
    }),
  ),
}

export const BesideUids = Strict(besideUids)

export const ListQuery = Strict({
  ...besideUids,
  ...paging(100, 25),
  unread: Type.Optional(Type.Boolean({ description: '`true` for unread messages alone, `false` for read ones.' })),
  label: Type.Optional(
    Line({ minLength: 1, description: 'The keyword of a label, which may be deleted.', examples: ['invoices'] }),
  ),
  uids: Type.Optional(
    Type.String({
      pattern: '^[1-9][0-9]{0,9}(,[1-9][0-9]{0,9}){0,99}$',
      form: 'up to 100 uids with commas between them, such as 17,18',
      description:
        'Up to 100 uids. The answer has the messages that are in the folder, on one page. It cannot be combined ' +
        'with other conditions.',
      examples: ['17,18'],
    }),
  ),
  ids: Type.Optional(
    Type.String({
      pattern: '^[a-z0-9]{1,12}(,[a-z0-9]{1,12}){0,99}$',
      form: 'up to 100 ids with commas between them, such as m2s,m2t',
      description:
        'Up to 100 ids. The answer has these messages, wherever they are in mailboxes that the caller reads, on ' +
        'one page. Give it alone, without `mailbox`.',
      examples: ['m2s,m2t'],
    }),
  ),
  after_uid: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: highestUid,
      description:
        'Only messages that came into the folder after this uid, in ascending order. `total` counts those of ' +
        'the answer. It can be combined with `limit` and `cursor` only.',
    }),
  ),
})

/** The message in a path. The route checks its form: an invalid one is `not_found`. */
export const pathMessage = Type.Unsafe<string>({
  anyOf: [
    { type: 'integer', minimum: 1, maximum: highestUid },
    { type: 'string', pattern: '^m[1-9a-z][0-9a-z]{0,10}$' },
  ],
  description: 'The uid of the message, with `mailbox` and `folder`; or its `id`, such as `m2s`, without them.',
})

export const ByMessage = Type.Object({ uid: pathMessage })
