import { type RawBuilder, sql } from 'kysely'
import { invalid, notFound, Refusal } from '#/base/errors.ts'
import { patternsMatching } from '#/formats/mime/address/address-pattern.ts'

/** What one may do with the mail of a mailbox, each level including those before: read it; change its labels, flags and
 *  folders; send from it, and set its forwarding. */
export const levels = ['read', 'change', 'send'] as const

export type Level = (typeof levels)[number]

/** What a caller may see and do in its organization; null for everything. */
interface Restrictions {
  /** Ids of mailboxes, with the level of each. */
  readonly mailboxes: ReadonlyMap<string, Level> | null
  /** Addresses and `@domains`, in canonical form. */
  readonly recipients: readonly string[] | null
}

/** A member who is signed in. */
interface CallingMember {
  readonly id: string
  /** Whether their role lists every mailbox of the organization. It never reads one. */
  readonly managesAllMailboxes: boolean
}

/** On whose behalf a request is made: an organization, by a key that may be restricted (docs/reference/keys.md), or a member
 *  in a session (docs/reference/sessions.md). Functions that find or list mailboxes, or read a request to send, take a
 *  caller instead of an organization's id, so that no route can leave out the check. Functions that use a mailbox's mail name
 *  the level that they need. Managing a mailbox means seeing that it exists and its settings. A key may do everything with
 *  mailboxes that it manages; a role may let a member manage mailboxes that they do not read. */
export class Caller {
  readonly organizationId: string
  /** Null for a key. Together with the organization's id it determines labels and filters (`Owner`). */
  readonly memberId: string | null
  readonly #levels: ReadonlyMap<string, Level> | undefined
  readonly managesAllMailboxes: boolean
  readonly #recipients: ReadonlySet<string> | undefined

  constructor(organizationId: string, { mailboxes, recipients }: Restrictions, member?: CallingMember) {
    this.organizationId = organizationId
    this.memberId = member?.id ?? null
    this.#levels = mailboxes ?? undefined
    this.managesAllMailboxes = member?.managesAllMailboxes ?? mailboxes === null
    this.#recipients = recipients ? new Set(recipients) : undefined
  }

  /** The organization itself. */
  static unrestricted(organizationId: string): Caller {
    return new Caller(organizationId, { mailboxes: null, recipients: null })
  }

  /** Whether it acts as the organization itself: a key without restrictions. */
  get isOrganization(): boolean {
    return this.memberId === null && this.#levels === undefined && this.writesToEverybody
  }

  /** Whether it sees the totals of all mailboxes: not a key that is restricted to some. */
  get seesWholeUsage(): boolean {
    return this.memberId !== null || this.managesAllMailboxes
  }

  get writesToEverybody(): boolean {
    return this.#recipients === undefined
  }

  /** Whether the caller has this level for a mailbox of the organization. */
  may(level: Level, mailboxId: string): boolean {
    if (this.#levels === undefined) return true
    const has = this.#levels.get(mailboxId)
    return has !== undefined && reaches(has, level)
  }

  /** The same for the mailbox in a column: a condition of a statement. */
  mayIn(level: Level, column: string): RawBuilder<boolean> {
    const ids = this.#levels && [...this.#levels].flatMap(([id, has]) => (reaches(has, level) ? [id] : []))
    return isOneOf(column, ids)
  }

  /** @throws Refusal `not_found` if the mailbox's mail does not exist for the caller, `forbidden` if their level is too low */
  assertMay(level: Level, { id, address }: { readonly id: string; readonly address: string }): void {
    if (this.may(level, id)) return
    const has = this.#levels?.get(id)
    if (has === undefined) throw notFound('mailbox')
    throw new Refusal('forbidden', `${address} is shared with you at the level ${has}; this needs ${level}`, {
      fix: 'Ask an owner or an admin of the organization',
    })
  }

  /** Whether the mailbox in a column exists for this caller: a condition of a statement. */
  managesIn(column: string): RawBuilder<boolean> {
    return this.managesAllMailboxes ? sql`true` : this.mayIn('read', column)
  }

  /** Patterns match as for blocked senders. @throws Refusal naming the field and the address */
  assertWritesTo(address: string, field: string): void {
    const recipients = this.#recipients
    if (recipients === undefined || patternsMatching([address]).some((pattern) => recipients.has(pattern))) return
    throw invalid(field, `This key may not send to ${address}`, 'Use a key that may; `mailroom key list` shows them')
  }
}

function reaches(has: Level, level: Level): boolean {
  return levels.indexOf(has) >= levels.indexOf(level)
}

function isOneOf(column: string, ids: readonly string[] | undefined): RawBuilder<boolean> {
  return ids ? sql`${sql.ref(column)} = any(${ids}::uuid[])` : sql`true`
}

/** The mailboxes of a key that is restricted to these, each at every level. */
export function everyLevel(mailboxIds: readonly string[] | null): ReadonlyMap<string, Level> | null {
  return mailboxIds && new Map(mailboxIds.map((id) => [id, 'send']))
}
