import { randomUUID } from 'node:crypto'
import type { Database } from '#/db/open.ts'
import { query } from '#/db/query.ts'
import { channel } from '#/events/announce.ts'
import type { EventFeed } from '#/events/feed.ts'
import type { Clock } from '#/ports/clock.ts'

export const doings = ['reading', 'writing'] as const

export type Doing = (typeof doings)[number]

/** A conversation that members may be in together. */
export interface Place {
  readonly organizationId: string
  readonly mailboxId: string
  /** The mailbox's address. */
  readonly mailbox: string
  readonly conversation: string
}

/** A member comes, leaves or begins to write. */
export interface Change extends Place {
  readonly memberId: string
}

interface Said extends Change {
  /** Null: the member has left. */
  readonly doing: Doing | null
}

/** So long somebody is present after having said so last, in milliseconds. */
const presentMs = 60_000

/** So many changes wait for a stream whose client is slow; the oldest are dropped. */
const mostChanges = 100

interface Kept {
  /** Nobody here is present after that. */
  until: number
  readonly members: Map<string, { readonly doing: Doing; readonly until: number }>
}

/**
 * Which members are in a conversation now. It is in the memory of each process, which hears of the others by NOTIFY, and in no
 * log. What a process did not hear, as it started or lost its connection, it hears as the member says it again.
 */
export class Presence implements Disposable {
  readonly #database: Pick<Database, 'db' | 'embedded'>
  readonly #clock: Clock
  /** By place, that of which was heard last at the end. */
  readonly #places = new Map<string, Kept>()
  readonly #followers = new Map<string, Set<Follower>>()
  readonly #feed: Pick<EventFeed, 'told'>
  /** This process, to which its own words come back: late, and after others. */
  readonly #self = randomUUID()
  readonly #hear = (text: string) => {
    const { from, ...said } = JSON.parse(text) as Said & { from: string }
    if (from !== this.#self) this.#take(said)
  }

  constructor(database: Pick<Database, 'db' | 'embedded'>, feed: Pick<EventFeed, 'told'>, clock: Clock) {
    this.#database = database
    this.#clock = clock
    this.#feed = feed
    feed.told.on('text', this.#hear)
  }

  /** Says what a member does, or that they have left, to every process. It holds for a minute. */
  async say(said: Said): Promise<void> {
    this.#take(said)
    const { db, embedded } = this.#database
    if (!embedded) await query(db)`select pg_notify(${channel}, ${JSON.stringify({ ...said, from: this.#self })})`
  }

  /** What those do there, by their ids, without the member who asks. */
  othersIn(place: Place, memberId: string): ReadonlyMap<string, Doing> {
    const now = this.#clock.now()
    const others = new Map<string, Doing>()
    for (const [id, { doing, until }] of this.#places.get(nameOf(place))?.members ?? [])
      if (id !== memberId && until > now) others.set(id, doing)
    return others
  }

  /** Hears of changes in an organization until it is disposed of. */
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

  #take({ memberId, doing, ...place }: Said): void {
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
    for (const follower of this.#followers.get(place.organizationId) ?? []) follower.tell({ ...place, memberId })
  }

  #forget(now: number): void {
    for (const [name, { until }] of this.#places) {
      if (until > now) return
      this.#places.delete(name)
    }
  }

  [Symbol.dispose](): void {
    this.#feed.told.off('text', this.#hear)
  }
}

/** Somebody who is told in which conversations others came, went, or began to write. */
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

  /** Aborted once there are changes, or the reader has left. Another one after each `take`. */
  get woken(): AbortSignal {
    return this.#woken.signal
  }

  tell(change: Change): void {
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

function nameOf({ organizationId, mailboxId, conversation }: Place): string {
  return `${organizationId} ${mailboxId} ${conversation}`
}
