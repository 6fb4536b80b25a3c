import { Strict } from '#/http/shared-schemas.ts'
import { Type } from '#/http/type.ts'
import { uid, uids } from './change-schemas.ts'
import { highestUid } from './message.ts'
import { inFolder } from './query-schemas.ts'

export const Erasing = Strict({ uids }, { examples: [{ uids: [17] }] })

const undoable = Type.Literal(false, { description: 'They are gone: nothing brings them back.' })

export const Erased = Type.Object({
  deleted: Type.Array(uid, { description: 'In ascending order.' }),
  not_found: Type.Array(uid),
  undoable,
})

export const EmptyingFolder = Strict({
  mailbox: inFolder.mailbox,
  up_to_uid: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: highestUid,
      description: 'Messages above it stay. Default: those that come after the request began.',
    }),
  ),
})

export const EmptiedFolder = Type.Object({
  deleted: Type.Integer({ minimum: 0, description: 'Messages that this request deleted.', examples: [12_500] }),
  has_more: Type.Boolean({ description: 'Whether messages up to `up_to_uid` are left. Then ask again, with it.' }),
  up_to_uid: Type.Integer({ minimum: 0, maximum: highestUid, examples: [20_017] }),
  undoable,
})
