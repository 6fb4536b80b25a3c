import { type RawBuilder, sql } from 'kysely'
import { invalid } from '#/errors.ts'
import { patternsMatching } from '#/mime/address-pattern.ts'

/** What a caller may see and do of its organization's; null: everything. */
interface Restrictions {
  /** Ids of mailboxes. */
  readonly mailboxes: readonly string[] | null
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
 * To read a mailbox is to see or change its mail, to send from it, or to say where its mail goes. To manage it is to see
 * that it exists and how it is set up. A key reads what it manages; a role lets a member manage what they do not read.
 */
export class Caller {
  readonly organizationId: string
  /** Null for a key. With the organization's id, whose labels and filters it has (`Owner`). */
  readonly memberId: string | null
  readonly #reads: ReadonlySet<string> | undefined
  readonly #manages: ReadonlySet<string> | undefined
  readonly #recipients: ReadonlySet<string> | undefined

  constructor(organizationId: string, { mailboxes, recipients }: Restrictions, member?: CallingMember) {
    this.organizationId = organizationId
    this.memberId = member?.id ?? null
    this.#reads = mailboxes ? new Set(mailboxes) : undefined
    this.#manages = member?.managesAllMailboxes ? undefined : this.#reads
    this.#recipients = recipients ? new Set(recipients) : undefined
  }

  /** The organization itself. */
  static unrestricted(organizationId: string): Caller {
    return new Caller(organizationId, { mailboxes: null, recipients: null })
  }

  /** Whether it acts as the organization itself: a key without restrictions does. */
  get isOrganization(): boolean {
    return this.memberId === null && this.#reads === undefined && this.writesToEverybody
  }

  get managesAllMailboxes(): boolean {
    return this.#manages === undefined
  }

  /** Whether it sees what all mailboxes use together: all but a key that is restricted to some. */
  get seesWholeUsage(): boolean {
    return this.memberId !== null || this.managesAllMailboxes
  }

  get writesToEverybody(): boolean {
    return this.#recipients === undefined
  }

  /** Whether the mail of a mailbox of the organization exists for this caller. */
  reads(mailboxId: string): boolean {
    return this.#reads?.has(mailboxId) ?? true
  }

  /** The same, of the mailbox whose id the column has: a condition of a statement. */
  readsIn(column: string): RawBuilder<boolean> {
    return isOneOf(column, this.#reads)
  }

  /** Whether the mailbox whose id the column has exists for this caller: a condition of a statement. */
  managesIn(column: string): RawBuilder<boolean> {
    return isOneOf(column, this.#manages)
  }

  /** Patterns match as they do for blocked senders. @throws Refusal naming the field and the address */
  assertWritesTo(address: string, field: string): void {
    const recipients = this.#recipients
    if (recipients === undefined || patternsMatching([address]).some((pattern) => recipients.has(pattern))) return
    throw invalid(field, `This key may not write to ${address}`, 'Use a key that may; `mailroom key list` shows them')
  }
}

function isOneOf(column: string, ids: ReadonlySet<string> | undefined): RawBuilder<boolean> {
  return ids ? sql`${sql.ref(column)} = any(${[...ids]}::uuid[])` : sql`true`
}
