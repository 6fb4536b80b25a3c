import type { Db } from '#/base/db/schema.ts'
import { Refusal } from '#/base/errors.ts'
import { type Cursor, cursorText, isBefore } from '#/base/event-log/cursor.ts'
import type { EventFeed, Watch } from '#/base/event-log/feed.ts'
import type { SettingsChange } from '#/base/event-log/log.ts'
import type { Change, Presence } from '#/events/presence/presence.ts'
import type { Identity } from '#/http/access/authorize.ts'
import type { Caller } from '#/http/access/caller.ts'
import type { EventOut } from './schemas.ts'
import { type EventSelection, type Names, shownEvents } from './visible.ts'

/** A request that reads events. */
export interface Reader {
  readonly db: Db
  readonly feed: EventFeed
  readonly names: Names
  readonly organizationId: string
  readonly wanted: EventSelection
  readonly after: Cursor
  /** The reader's identity at this moment: a revoked key receives nothing more. */
  readonly identify: () => Promise<Identity | undefined>
  /** Aborted when the client has disconnected. */
  readonly gone: AbortSignal
  /** Where members are; undefined if the reader may not know. */
  readonly presence: Presence | undefined
}

/** Pages of the log that a request reads at most before it answers, whatever its types and mailboxes. */
const mostPages = 20

export interface Polled {
  readonly data: EventOut[]
  readonly next: string
  readonly has_more: boolean
}

/** Up to `limit` events. Waits for one if there is none. */
export async function poll(reader: Reader, limit: number, waitMs: number): Promise<Polled> {
  const { feed, organizationId, wanted, identify, gone } = reader
  using watch = feed.watch(organizationId)
  const until = performance.now() + waitMs
  const data: EventOut[] = []
  let next = reader.after
  for (let pages = 1; ; pages++) {
    const seen = watch.version
    const page = await feed.page(organizationId, next)
    const identity = await identify()
    if (!identity) throw new Refusal('unauthorized', 'The key or session has ended meanwhile')
    for (const { event, out } of await shownEvents(reader, identity, wanted, page.events)) {
      if (data.length === limit) return { data, next: cursorText(next), has_more: true }
      data.push(out)
      next = event
    }
    next = page.end
    if (page.more && pages < mostPages) continue
    const ended = page.more || data.length > 0 || performance.now() >= until || gone.aborted || feed.ending.aborted
    if (ended) return { data, next: cursorText(next), has_more: page.more }
    await watch.changed(seen, until - performance.now(), gone)
    next = caughtUp(watch, seen, next)
    pages = 0
  }
}

/** Milliseconds after which a stream sends a comment, so that the client does not consider it dead. */
const quietMs = 15_000

/** Server-sent events (HTML, section 9.2). Reads pages as fast as the client does. A comment has the id at which the client
 *  continues. The stream ends with the service, the key or the session. */
export async function* stream(reader: Reader): AsyncGenerator<string> {
  const { feed, organizationId, wanted, identify, gone, presence } = reader
  using watch = feed.watch(organizationId)
  using follower = presence?.follow(organizationId, gone)
  yield 'retry: 1000\n\n'
  let sent = performance.now()
  let next = reader.after
  while (!gone.aborted && !feed.ending.aborted) {
    const seen = watch.version
    const page = await feed.page(organizationId, next)
    const identity = await identify()
    if (!identity) return
    const shown = await shownEvents(reader, identity, wanted, page.events)
    next = page.end
    if (shown.length > 0) {
      yield shown.map(({ out }) => `id: ${out.id}\ndata: ${JSON.stringify(out)}\n\n`).join('')
      sent = performance.now()
    }
    if (presence && page.settings.length > 0) yield settingsIn(page.settings, identity.caller)
    if (page.more) continue
    await watch.changed(seen, sent + quietMs - performance.now(), follower?.woken ?? gone)
    next = caughtUp(watch, seen, next)
    const changes = follower?.take() ?? []
    if (changes.length > 0) yield await presenceIn(changes, reader)
    if (performance.now() < sent + quietMs) continue
    yield `: nothing new\nid: ${cursorText(next)}\n\n`
    sent = performance.now()
  }
}

/** Messages of the event `settings`: kinds of settings that have changed, and mailboxes whose folders have. Readers who may see
 *  them request them again. */
function settingsIn(changes: readonly SettingsChange[], caller: Caller): string {
  return changes
    .filter(({ mailboxId }) => mailboxId === null || caller.may('read', mailboxId))
    .map(({ item, address }) => ({ item, ...(address !== null && { mailbox: address }) }))
    .map((data) => `event: settings\ndata: ${JSON.stringify(data)}\n\n`)
    .join('')
}

/** Messages of the event `presence`: where others came, left or began to write. They have no id, since they are not in the
 *  log. */
async function presenceIn(changes: readonly Change[], { wanted, identify }: Reader): Promise<string> {
  const caller = (await identify())?.caller
  const isTold = ({ mailboxId, memberId }: Change) =>
    caller?.may('read', mailboxId) && caller.memberId !== memberId && (wanted.mailboxId ?? mailboxId) === mailboxId
  return changes
    .filter(isTold)
    .map(({ mailbox, conversation }) => `event: presence\ndata: ${JSON.stringify({ mailbox, conversation })}\n\n`)
    .join('')
}

/** The position of a reader without news. It moves on with the log, since old events are deleted. */
function caughtUp({ version, settled }: Watch, seen: number, at: Cursor): Cursor {
  return version === seen && settled && isBefore(at, settled) ? settled : at
}
