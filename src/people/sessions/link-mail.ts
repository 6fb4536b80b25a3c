import type { Tx } from '#/base/db/schema.ts'
import type { SignInLink } from './invitation/link.ts'

/** The recipient of a link. */
export interface Invited {
  readonly email: string
  readonly name: string
}

/** Puts a message with the link into the outbound queue, with `tx`. Answers whether it did. */
export type MailLink = (tx: Tx, to: Invited, made: SignInLink) => Promise<boolean>

/** Mails sign-in links (src/out/delivery/link-mail.ts). */
export interface LinkMail {
  /** Finds, outside any transaction, the sender and the signing keys for mail of the organization. */
  from(organizationId: string): Promise<MailLink>
  /** To be called after the commit. */
  wake(): void
}
