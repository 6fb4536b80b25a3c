import { type Static, Type } from '#/http/schemas/type.ts'
import { mostAtOnce, uid } from './schemas.ts'

const PlaceOut = Type.Object(
  {
    folder: Type.String({ examples: ['inbox'] }),
    uids: Type.Array(uid, { description: 'Its messages there, oldest first.' }),
  },
  { title: 'ConversationPlace' },
)

export const places = Type.Array(PlaceOut, {
  description: `Where its messages are, one place for each bulk change of messages: a folder with more than ${mostAtOnce} of them has several.`,
})

/** Messages of a folder, in as many places as bulk changes take them. */
export function placesIn(folder: string, uids: readonly number[]): Static<typeof PlaceOut>[] {
  return Array.from({ length: Math.ceil(uids.length / mostAtOnce) }, (_, nth) => ({
    folder,
    uids: uids.slice(nth * mostAtOnce, (nth + 1) * mostAtOnce),
  }))
}
