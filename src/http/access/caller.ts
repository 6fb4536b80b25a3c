import { type RawBuilder, sql } from 'kysely'
import { invalid, notFound, Refusal } from '#/errors.ts'
import { patternsMatching } from '#/mime/address/address-pattern.ts'

/** What one may do with the mail of a mailbox, each more than the one before: see it; change its labels, flags and folders;
 *  send from it, and say where its mail goes. */
export const levels = ['read', 'change', 'send'] as const

export type Level = (typeof levels)[number]

/** What a caller may see and do of its organization's; null: everything. */
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

/**
 * On whose behalf something is asked: an organization, by a key that may be restricted (docs/reference/keys.md), or a member
 * who is signed in (docs/reference/sessions.md). What finds or lists mailboxes, or reads what is to be sent, takes a caller in
 * place of an organization's id, so that no route forgets what is hidden from it.
 *
 * What uses a mailbox's mail names the level that it needs. To manage a mailbox is to see that it exists and how it is set up.
 * A key does everything with what it manages; a role lets a member manage what they do not read.
 */
export class Caller {
  readonly organizationId: string
  /** Null for a key. With the organization's id, whose labels and filters it has (`Owner`). */
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

  /** Whether it acts as the organization itself: a key without restrictions does. */
  get isOrganization(): boolean {
    return this.memberId === null && this.#levels === undefined && this.writesToEverybody
  }

  /** Whether it sees what all mailboxes use together: all but a key that is restricted to some. */
  get seesWholeUsage(): boolean {
    return this.memberId !== null || this.managesAllMailboxes
  }

  get writesToEverybody(): boolean {
    return this.#recipients === undefined
  }

  /** Whether the caller may do this with the mail of a mailbox of the organization. */
  may(level: Level, mailboxId: string): boolean {
    if (this.#levels === undefined) return true
    const has = this.#levels.get(mailboxId)
    return has !== undefined && reaches(has, level)
  }

  /** The same, of the mailbox whose id the column has: a condition of a statement. */
  mayIn(level: Level, column: string): RawBuilder<boolean> {
    const ids = this.#levels && [...this.#levels].flatMap(([id, has]) => (reaches(has, level) ? [id] : []))
    return isOneOf(column, ids)
  }

  /** @throws Refusal `not_found` if the mailbox's mail does not exist for the caller, `forbidden` if they may do less with it */
  assertMay(level: Level, { id, address }: { readonly id: string; readonly address: string }): void {
    if (this.may(level, id)) return
    const has = this.#levels?.get(id)
    if (has === undefined) throw notFound('mailbox')
    throw new Refusal('forbidden', `${address} is shared with you at the level ${has}; this needs ${level}`, {
      fix: 'Ask an owner or an admin of the organization',
    })
  }

  /** Whether the mailbox whose id the column has exists for this caller: a condition of a statement. */
  managesIn(column: string): RawBuilder<boolean> {
    return this.managesAllMailboxes ? sql`true` : this.mayIn('read', column)
  }

  /** Patterns match as they do for blocked senders. @throws Refusal naming the field and the address */
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
