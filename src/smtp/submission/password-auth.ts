import type { Client, Named } from '#/smtp/protocol/envelope.ts'
import type { MailHandler, SmtpAuth } from '#/smtp/protocol/mail-handler.ts'
import { Rejection } from '#/smtp/protocol/reply.ts'
import { type Account, accountById } from './accounts.ts'
import { type LoginDependencies, type LoginFault, LoginRefused, logInTo } from './log-in.ts'
import { credentials, mechanisms, SaslFailure, type SaslFault } from './sasl.ts'

/** Answers the handler for a message of this account with this envelope sender. */
export type Submit = (account: Account, sender: string) => Promise<MailHandler<Named>>

export interface PasswordAuthDependencies extends LoginDependencies {
  readonly submit: Submit
}

/** Authenticates by the address of a mailbox and its password. */
export class PasswordAuth implements SmtpAuth {
  readonly mechanisms = mechanisms
  readonly #parts: PasswordAuthDependencies

  constructor(parts: PasswordAuthDependencies) {
    this.#parts = parts
  }

  async logIn(
    argument: string,
    { address }: Client,
    ask: (challenge: string) => Promise<string>,
  ): Promise<MailHandler<Named>> {
    const account = await this.#authenticated(argument, address, ask).catch((error) => {
      throw rejectionOf(error)
    })
    return delegating(async (sender) => await this.#parts.submit(await this.#current(account), sender))
  }

  async #authenticated(argument: string, client: string, ask: (challenge: string) => Promise<string>) {
    return await logInTo(this.#parts, await credentials(argument, ask), client)
  }

  /** A session lasts for hours. It ends when the password changes or the mailbox is deleted. */
  async #current(account: Account): Promise<Account> {
    const now = await accountById(this.#parts.db, account)
    if (now && now.passwordHash === account.passwordHash) return now
    throw new Rejection(530, '5.7.0', 'The password was changed; authenticate again')
  }
}

/** RFC 4954, sections 4 and 6. */
const replies: Record<SaslFault | LoginFault, [number, string]> = {
  arguments: [501, '5.5.4'],
  mechanism: [504, '5.5.4'],
  cancelled: [501, '5.7.0'],
  malformed: [501, '5.5.2'],
  'other identity': [535, '5.7.8'],
  busy: [454, '4.7.0'],
  throttled: [454, '4.7.0'],
  wrong: [535, '5.7.8'],
  suspended: [535, '5.7.13'],
}

function rejectionOf(error: unknown): unknown {
  if (!(error instanceof SaslFailure || error instanceof LoginRefused)) return error
  return new Rejection(...replies[error.fault], error.message)
}

/** For a client that has not authenticated. */
export const unauthenticated = delegating(async (_sender, { tls }) => {
  throw new Rejection(530, '5.7.0', tls ? 'Authentication required' : 'Send STARTTLS, then authenticate')
})

/** A handler that chooses another one at MAIL. */
function delegating(begin: (sender: string, client: Client) => Promise<MailHandler<Named>>): MailHandler<Named> {
  const never = async () => {
    throw new Error('a message begins with MAIL')
  }
  return { begin, admit: never, receive: never }
}
