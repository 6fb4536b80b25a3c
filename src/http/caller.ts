import { type RawBuilder, sql } from 'kysely'
import { invalid } from '#/errors.ts'
import { patternsMatching } from '#/mime/address-pattern.ts'

/** What a key may see and do of its organization's; null: everything. */
interface Restrictions {
  /** Ids of mailboxes. */
  readonly mailboxes: readonly string[] | null
  /** Addresses and `@domains`, in canonical form. */
  readonly recipients: readonly string[] | null
}

/**
 * On whose behalf something is asked: an organization, by a key that may be restricted (docs/reference/keys.md). What finds or
 * lists mailboxes, or reads what is to be sent, takes a caller in place of an organization's id, so that no route forgets
 * the restrictions.
 */
export class Caller {
  readonly organizationId: string
  readonly #mailboxes: ReadonlySet<string> | undefined
  readonly #recipients: ReadonlySet<string> | undefined

  constructor(organizationId: string, { mailboxes, recipients }: Restrictions) {
    this.organizationId = organizationId
    this.#mailboxes = mailboxes ? new Set(mailboxes) : undefined
    this.#recipients = recipients ? new Set(recipients) : undefined
  }

  /** The organization itself. */
  static unrestricted(organizationId: string): Caller {
    return new Caller(organizationId, { mailboxes: null, recipients: null })
  }

  get seesAllMailboxes(): boolean {
    return this.#mailboxes === undefined
  }

  get writesToEverybody(): boolean {
    return this.#recipients === undefined
  }

  /** Whether a mailbox of the organization exists for this caller. */
  sees(mailboxId: string): boolean {
    return this.#mailboxes?.has(mailboxId) ?? true
  }

  /** The same, of the mailbox whose id the column has: a condition of a statement. */
  seesIn(column: string): RawBuilder<boolean> {
    return this.#mailboxes ? sql`${sql.ref(column)} = any(${[...this.#mailboxes]}::uuid[])` : sql`true`
  }

  /** Patterns match as they do for blocked senders. @throws Refusal naming the field and the address */
  assertWritesTo(address: string, field: string): void {
    const recipients = this.#recipients
    if (recipients === undefined || patternsMatching([address]).some((pattern) => recipients.has(pattern))) return
    throw invalid(field, `This key may not write to ${address}`, 'Use a key that may; `mailroom key list` shows them')
  }
}
