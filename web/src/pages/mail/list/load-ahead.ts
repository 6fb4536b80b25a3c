import { queryClient } from '../../../app/query-client.ts'
import { ahead } from '../../../parts/state/ahead.ts'
import { cachedRows } from '../cached.ts'
import type { Place } from '../place.ts'
import { conversationQuery, messageQuery, type Row } from '../queries.ts'

/** Rows around one, the likeliest first. */
const around = [0, 1, -1, 2, 3]

/** Messages of a conversation. Of one with more that are unread, the others are loaded as it is opened. */
const most = 3

/** The last that was asked for: it takes the place of those before. */
let latest: string | undefined

/** Loads what opening a conversation would show, and what opening the ones beside it would, so that it is there then. */
export async function loadAhead(place: Place, id: string): Promise<void> {
  latest = id
  const rows = cachedRows(place)
  const at = rows.findIndex((row) => row.id === id)
  if (at < 0) return
  for (const step of around) {
    const row = rows[at + step]
    if (!row) continue
    if (row.messages.length < row.uids.length) void queryClient.prefetchQuery(conversationQuery(place, row.id))
    for (const uid of opened(row)) void queryClient.prefetchQuery(messageQuery(place, uid))
    // A task for each, so that a key that is pressed meanwhile does not wait for all.
    await new Promise((resolve) => setTimeout(resolve))
    if (latest !== id) return
  }
  // And the sanitizer, which the first message of HTML would wait for.
  ahead(() => import('../message/message-html.tsx'))
}

/** The newest message, and the unread ones. */
function opened({ uids, messages }: Row): number[] {
  const unread = messages.filter((message) => message.unread).map(({ uid }) => uid)
  return [...new Set([...uids.slice(-1), ...unread.toReversed()])].slice(0, most)
}
