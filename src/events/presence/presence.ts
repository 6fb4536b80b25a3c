import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Clock } from '#/base/clock/clock.ts'
import type { Database } from '#/base/db/open.ts'
import { short } from '#/base/db/short.ts'
import { channel } from '#/base/event-log/announce.ts'
import type { EventFeed } from '#/base/event-log/feed.ts'

export const doings = ['reading', 'writing'] as const

export type Doing = (typeof doings)[number]

/** A conversation in which members may be present. */
export interface ConversationRef {
  readonly organizationId: string
  readonly mailboxId: string
  /** The mailbox's address. */
  readonly mailbox: string
  readonly conversation: string
}

/** A member arrives, leaves or begins to write. */
export interface Change extends ConversationRef {
  readonly memberId: string
}

interface Report extends Change {
  /** Null if the member has left. */
  readonly doing: Doing | null
}

/** How long a member is present without another report, in milliseconds. */
const presentMs = 60_000

/** Changes that are queued for a slow client; the oldest are dropped. */
const mostChanges = 100

interface Kept {
  /** When the last member is no longer present. */
  until: number
  readonly members: Map<string, { readonly doing: Doing; readonly until: number }>
}

/** Which members are in a conversation now. Each process has this in memory and gets reports of others by NOTIFY; no log has
 *  it. Reports that a process missed, while starting or disconnected, are repeated by the member's client. */
export class Presence implements Disposable {
  readonly #database: Pick<Database, 'db' | 'embedded'>
  readonly #clock: Clock
  /** By place; the latest report last. */
  readonly #places = new Map<string, Kept>()
  readonly #followers = new Map<string, Set<Follower>>()
  readonly #feed: Pick<EventFeed, 'notifications'>
  /** This process, which receives its own reports too: late, and after others. */
  readonly #self = randomUUID()
  readonly #onReport = (text: string) => {
    const { from, ...report } = JSON.parse(text) as Report & { from: string }
    if (from !== this.#self) this.#apply(report)
  }

  constructor(database: Pick<Database, 'db' | 'embedded'>, feed: Pick<EventFeed, 'notifications'>, clock: Clock) {
    this.#database = database
    this.#clock = clock
    this.#feed = feed
    feed.notifications.on('text', this.#onReport)
  }

  /** Reports to all processes what a member does, or that they have left. Valid for a minute. */
  async report(report: Report): Promise<void> {
    this.#apply(report)
    const { db, embedded } = this.#database
    if (!embedded)
      await sql`select pg_notify(${channel}, ${JSON.stringify({ ...report, from: this.#self })})`.execute(short(db))
  }

  /** What other members do there, by id. */
  othersIn(place: ConversationRef, memberId: string): ReadonlyMap<string, Doing> {
    const now = this.#clock.now()
    const others = new Map<string, Doing>()
    for (const [id, { doing, until }] of this.#places.get(nameOf(place))?.members ?? [])
      if (id !== memberId && until > now) others.set(id, doing)
    return others
  }

  /** Receives changes in an organization until disposed. */
  follow(organizationId: string, gone: AbortSignal): Follower {
    const followers = this.#followers.get(organizationId) ?? new Set()
    this.#followers.set(organizationId, followers)
    const follower = new Follower(gone, () => {
      followers.delete(follower)
      if (followers.size === 0) this.#followers.delete(organizationId)
    })
    followers.add(follower)
    return follower
  }

  #apply({ memberId, doing, ...place }: Report): void {
    const now = this.#clock.now()
    const name = nameOf(place)
    const kept = this.#places.get(name) ?? { until: 0, members: new Map() }
    const before = kept.members.get(memberId)
    if (doing === null) kept.members.delete(memberId)
    else kept.members.set(memberId, { doing, until: now + presentMs })
    kept.until = now + presentMs
    this.#places.delete(name)
    if (kept.members.size > 0) this.#places.set(name, kept)
    this.#forget(now)
    const was = before && before.until > now ? before.doing : null
    if (was === doing) return
    for (const follower of this.#followers.get(place.organizationId) ?? []) follower.notify({ ...place, memberId })
  }

  #forget(now: number): void {
    for (const [name, { until }] of this.#places) {
      if (until > now) return
      this.#places.delete(name)
    }
  }

  [Symbol.dispose](): void {
    this.#feed.notifications.off('text', this.#onReport)
  }
}

/** A reader of arrivals, departures and writing in conversations. */
export class Follower implements Disposable {
  readonly #gone: AbortSignal
  readonly #leave: () => void
  readonly #wake = () => this.#woken.abort()
  #woken = new AbortController()
  #changes: Change[] = []

  constructor(gone: AbortSignal, leave: () => void) {
    this.#gone = gone
    this.#leave = leave
    gone.addEventListener('abort', this.#wake)
  }

  /** Aborted once there are changes, or the reader has left. `take` renews it. */
  get woken(): AbortSignal {
    return this.#woken.signal
  }

  notify(change: Change): void {
    this.#changes = [...this.#changes, change].slice(-mostChanges)
    this.#woken.abort()
  }

  take(): readonly Change[] {
    const taken = this.#changes
    this.#changes = []
    if (!this.#gone.aborted) this.#woken = new AbortController()
    return taken
  }

  [Symbol.dispose](): void {
    this.#gone.removeEventListener('abort', this.#wake)
    this.#leave()
  }
}

function nameOf({ organizationId, mailboxId, conversation }: ConversationRef): string {
  return `${organizationId} ${mailboxId} ${conversation}`
}
