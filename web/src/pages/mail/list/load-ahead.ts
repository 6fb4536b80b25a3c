import { queryClient } from '../../../app/query-client.ts'
import { ahead } from '../../../parts/state/ahead.ts'
import type { State } from '../actions/edits.ts'
import { cachedRows } from '../cached.ts'
import type { Place } from '../place.ts'
import { conversationQuery, messageQuery } from '../queries.ts'

/** Rows around one, the likeliest to be opened first. */
const around = [0, 1, -1, 2, 3]

/** The most messages of a conversation. Further unread ones are loaded when it is opened. */
const most = 3

/** The last request, which replaces earlier ones. */
let latest: string | undefined

/** Loads what opening the conversation with a message, or its neighbours, would show. */
export async function loadAhead(place: Place, message: string): Promise<void> {
  latest = message
  const rows = cachedRows(place)
  const at = rows.findIndex(({ ids }) => ids.includes(message))
  if (at < 0) return
  for (const step of around) {
    const row = rows[at + step]
    if (!row) continue
    if (row.messages.length < row.ids.length) void loadWhole(place, row.id)
    loadMessages(row.messages)
    // A task for each, so that a key press does not wait for all.
    await new Promise((resolve) => setTimeout(resolve))
    if (latest !== message) return
  }
  // Also the sanitizer, which the first HTML message would wait for.
  ahead(() => import('../message/message-html.tsx'))
}

/** A conversation of which the list has a part. */
async function loadWhole(place: Place, id: string): Promise<void> {
  const whole = await queryClient.fetchQuery(conversationQuery(place, id)).catch(() => undefined)
  if (whole) loadMessages(whole.messages)
}

/** The newest message, and the unread ones. */
function loadMessages(messages: readonly State[]): void {
  const opened = [...new Set([...messages.slice(-1), ...messages.filter(({ unread }) => unread).toReversed()])]
  for (const { id } of opened.slice(0, most)) void queryClient.prefetchQuery(messageQuery(id))
}
