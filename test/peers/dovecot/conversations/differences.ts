import type { ThreadIds } from '#/mime/header/references.ts'
import type { RefsReading } from './refs-reading.ts'

/** A message with what each side reads of it. */
export interface Compared {
  readonly uid: number
  readonly ids: ThreadIds
  readonly refs: RefsReading
}

/** Joins of messages that we make and REFS does not, by cause. */
export interface JoinedByUs {
  /** Refutes the claim. Both read the one id that a message names, and REFS does not go by it; or nothing joins them. */
  readonly unexplained: number
  /** Several messages have one Message-ID. REFS lets the second stand alone. */
  readonly duplicate: number
  /** The message names several ids. REFS gives it one parent. */
  readonly several: number
  /** Messages name each other. REFS drops the link that closes the circle, and may then drop others of it. */
  readonly circle: number
  /** In-Reply-To names another id than References, beside which REFS does not read it. */
  readonly beside: number
  /** A word without brackets, a second field of a name, a second id in In-Reply-To, a broken id. */
  readonly unread: number
}

/** Joins of messages that REFS makes and we do not, by cause. */
export interface JoinedByRefs {
  /** Refutes the claim. The id joins by our rule; or nothing joins them. */
  readonly unexplained: number
  /** REFS takes somebody's address in In-Reply-To for an id. */
  readonly address: number
  /** In-Reply-To is not one id alone, and no message has that id: it may be an address. */
  readonly unsure: number
  /** An id in a comment, or a broken one. */
  readonly broken: number
}

type Groups = readonly (readonly number[])[]

/** Explains how two readings of a folder as conversations differ. Causes are tried in the order given here, so each is
 *  counted where those before it do not explain a join. `addresses` are those that the folder's headers show. */
export function differences(messages: readonly Compared[], ours: Groups, refs: Groups, addresses: ReadonlySet<string>) {
  const byUs = groupOf(ours)
  const byRefs = groupOf(refs)
  const folder = new Folder(messages, addresses)
  const inBoth = messages.map(({ uid }) => ({ uid, id: `${byUs.get(uid)} ${byRefs.get(uid)}` }))
  const ourJoins = messages.flatMap((message) => folder.joinsByUs(message))
  const refsJoins = messages.flatMap((message) => folder.joinsByRefs(message))
  return {
    ours: explain(byUs, inBoth, ourJoins, ['unexplained', 'duplicate', 'several', 'circle', 'beside', 'unread']),
    refs: explain(byRefs, inBoth, refsJoins, ['unexplained', 'address', 'unsure', 'broken']),
  } satisfies { ours: JoinedByUs; refs: JoinedByRefs }
}

interface Join {
  readonly uid: number
  readonly id: string
}

type Caused<Cause> = Join & { readonly cause: Cause }

class Folder {
  readonly #addresses: ReadonlySet<string>
  /** The ids that messages bear, as we read them. */
  readonly #present: ReadonlySet<string | null>
  /** The ids that messages bear, as REFS reads them, and the first message that does. */
  readonly #first: ReadonlyMap<string | undefined, number>
  /** What an id may be put below in REFS: the id before it in some References, or the last that its message names. */
  readonly #above = new Map<string, Set<string>>()
  /** Everything that REFS reads in one set that is connected. */
  readonly #connected = new Sets()

  constructor(messages: readonly Compared[], addresses: ReadonlySet<string>) {
    this.#addresses = addresses
    this.#present = new Set(messages.map(({ ids }) => ids.messageId))
    this.#first = new Map(messages.toReversed().map(({ uid, refs }) => [refs.messageId, uid]))
    for (const { uid, refs } of messages) {
      const chain = refs.messageId === undefined ? refs.named : [...refs.named, refs.messageId]
      for (const [place, id] of chain.entries()) {
        this.#connected.join(uid, id)
        const before = chain[place - 1]
        if (before !== undefined) this.#above.set(id, (this.#above.get(id) ?? new Set()).add(before))
      }
    }
  }

  /** The ids that join a message by our rule, each with what keeps REFS from going by it. */
  joinsByUs({ uid, ids, refs }: Compared): Caused<keyof JoinedByUs>[] {
    const causeOf = (id: string): keyof JoinedByUs => {
      if (refs.named.length > 1 && refs.named.includes(id)) return 'several'
      if (refs.named.includes(id)) return this.#isBelow(id, refs.messageId) ? 'circle' : 'unexplained'
      return refs.references.length > 0 && refs.inReplyTo.includes(id) ? 'beside' : 'unread'
    }
    const named = [...ids.strong, ...ids.weak.filter((id) => this.#present.has(id))]
    const joins: Caused<keyof JoinedByUs>[] = named.map((id) => ({ uid, id, cause: causeOf(id) }))
    const { messageId } = ids
    if (messageId === null) return joins
    const own = this.#first.get(messageId) === uid ? 'unexplained' : 'duplicate'
    return [{ uid, id: messageId, cause: messageId === refs.messageId ? own : 'unread' }, ...joins]
  }

  /** The ids that join a message by REFS, each with what keeps us from going by it. */
  joinsByRefs({ uid, ids, refs }: Compared): Caused<keyof JoinedByRefs>[] {
    const causeOf = (id: string): keyof JoinedByRefs => {
      if (id === ids.messageId || ids.strong.includes(id)) return 'unexplained'
      if (!ids.weak.includes(id)) return 'broken'
      if (this.#present.has(id)) return 'unexplained'
      return this.#addresses.has(id.slice(1, -1).toLowerCase()) ? 'address' : 'unsure'
    }
    const named = refs.messageId === undefined ? refs.named : [refs.messageId, ...refs.named]
    // What a message names joins messages in REFS even where it does not stand with them itself.
    const elsewhere = { uid, id: `connected ${this.#connected.root(uid)}`, cause: 'broken' } as const
    return [...named.map((id) => ({ uid, id, cause: causeOf(id) })), elsewhere]
  }

  #isBelow(id: string, other: string | undefined): boolean {
    const seen = new Set([id])
    for (const at of seen) for (const above of this.#above.get(at) ?? []) seen.add(above)
    return other !== undefined && seen.has(other)
  }
}

/** Starts from what both sides join, joins the rest of each group of one side cause by cause, and counts how often that
 *  brought messages together that were not. What none brings together is unexplained. */
function explain<Cause extends string>(
  groups: ReadonlyMap<number, number>,
  inBoth: readonly Join[],
  joins: readonly Caused<Cause>[],
  causes: readonly Cause[],
): Record<Cause, number> & { unexplained: number } {
  const sets = new Sets()
  for (const { uid, id } of inBoth) sets.join(uid, `both ${id}`)
  const counts = { unexplained: 0 } as Record<Cause, number> & { unexplained: number }
  for (const cause of causes) {
    const before = sets.withMessages
    for (const join of joins) if (join.cause === cause) sets.join(join.uid, `${groups.get(join.uid)} ${join.id}`)
    counts[cause] = (before - sets.withMessages) as (typeof counts)[Cause]
  }
  counts.unexplained += sets.withMessages - new Set(groups.values()).size
  return counts
}

function groupOf(groups: Groups): Map<number, number> {
  return new Map(groups.flatMap((uids, group) => uids.map((uid) => [uid, group] as const)))
}

/** Disjoint sets of uids and ids. */
class Sets {
  readonly #parents = new Map<number | string, number | string>()
  readonly #messages = new Map<number | string, boolean>()
  /** Sets that hold a uid. */
  withMessages = 0

  join(uid: number, id: string): void {
    const [one, other] = [this.root(uid), this.root(id)]
    if (one === other) return
    const bothHold = this.#messages.get(one) && this.#messages.get(other)
    if (bothHold) this.withMessages--
    this.#parents.set(one, other)
    this.#messages.set(other, true)
  }

  root(item: number | string): number | string {
    if (!this.#parents.has(item)) {
      this.#parents.set(item, item)
      this.#messages.set(item, typeof item === 'number')
      if (typeof item === 'number') this.withMessages++
    }
    let root = item
    for (let above = this.#parents.get(root); above !== undefined && above !== root; above = this.#parents.get(root)) {
      root = above
    }
    for (let at = item; at !== root; ) {
      const next = this.#parents.get(at) ?? root
      this.#parents.set(at, root)
      at = next
    }
    return root
  }
}
