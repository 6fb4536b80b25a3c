import { Strict } from '#/http/schemas/shared-schemas.ts'
import { Type } from '#/http/schemas/type.ts'
import { assertOneWay, manyMessages, uidOrId } from '../change/schemas.ts'
import { highestUid } from '../message.ts'
import { inFolder } from '../query-schemas.ts'

export const Erasing = Strict(manyMessages, { rule: assertOneWay, examples: [{ uids: [17] }] })

const undoable = Type.Literal(false, { description: 'The messages cannot be brought back.' })

export const Erased = Type.Object({
  deleted: Type.Array(uidOrId, { description: 'The messages as the request names them; uids in ascending order.' }),
  not_found: Type.Array(uidOrId),
  undoable,
})

export const EmptyingFolder = Strict({
  mailbox: inFolder.mailbox,
  up_to_uid: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: highestUid,
      description: 'Messages with a higher uid stay. Without it, the highest uid as the request begins.',
    }),
  ),
})

export const EmptiedFolder = Type.Object({
  deleted: Type.Integer({ minimum: 0, description: 'How many messages this request deleted.', examples: [12_500] }),
  has_more: Type.Boolean({
    description: 'Whether messages up to `up_to_uid` are left: if so, repeat the request with it.',
  }),
  up_to_uid: Type.Integer({ minimum: 0, maximum: highestUid, examples: [20_017] }),
  undoable,
})
