import type { Logger } from 'pino'
import type { Db } from '#/db/schema.ts'
import { Refusal } from '#/errors.ts'
import type { Client, Named } from '#/inbound/smtp/envelope.ts'
import type { MailHandler, SmtpAuth } from '#/inbound/smtp/mail-handler.ts'
import { Rejection } from '#/inbound/smtp/reply.ts'
import { canonicalAddress } from '#/mime/address/address.ts'
import { type AttemptsKey, tryGuess } from '#/passwords/attempts.ts'
import { guesserOf } from '#/passwords/guesser.ts'
import { isPassword } from '#/passwords/password.ts'
import { normalized } from '#/unicode.ts'
import { type Account, accountByAddress, accountById, accountByLogin } from './accounts.ts'
import { credentials, mechanisms } from './sasl.ts'

/** Answers the handler for a message of this account with this envelope sender. */
export type Submit = (account: Account, sender: string) => Promise<MailHandler<Named>>

export interface PasswordAuthParts {
  readonly db: Db
  readonly key: AttemptsKey
  readonly submit: Submit
  readonly log: Logger
  /** Called with the result of each login. */
  readonly observe?: ((outcome: 'accepted' | 'refused' | 'throttled') => void) | undefined
}

/** Authenticates by the address of a mailbox and its password. */
export class PasswordAuth implements SmtpAuth {
  readonly mechanisms = mechanisms
  readonly #parts: PasswordAuthParts

  constructor(parts: PasswordAuthParts) {
    this.#parts = parts
  }

  async logIn(
    argument: string,
    client: Client,
    ask: (challenge: string) => Promise<string>,
  ): Promise<MailHandler<Named>> {
    const { login, password } = await credentials(argument, ask)
    const account = await this.#authenticated(login, password, client)
    return delegating(async (sender) => await this.#parts.submit(await this.#current(account), sender))
  }

  /** Verifies a password once, and not at all while the client is throttled. */
  async #authenticated(login: string, given: string, { address: from }: Client): Promise<Account> {
    const { db, key, log, observe } = this.#parts
    const address = canonicalAddress(login)
    const password = normalized(given, 'NFC')
    const account = address === undefined ? undefined : await accountByLogin(db, address)
    const hash = account?.passwordHash ?? null
    const guess = { address: from, login: address ?? '', guess: password, against: hash ?? '' }
    const guesser = await guesserOf(db, address ?? '', from)
    const outcome = await tryGuess(db, key, guess, () => isPassword(password, hash, guesser)).catch((error) => {
      if (!(error instanceof Refusal)) throw error
      observe?.('throttled')
      throw new Rejection(454, '4.7.0', error.message)
    })
    if (account && outcome === 'right') {
      observe?.(account.suspended ? 'refused' : 'accepted')
      if (!account.suspended) return account
      throw new Rejection(535, '5.7.13', `${account.address} is suspended`)
    }
    const throttled = outcome === 'throttled'
    observe?.(throttled ? 'throttled' : 'refused')
    log.info({ client: from, mailbox: account?.mailboxId, throttled }, 'login refused')
    if (throttled) throw new Rejection(454, '4.7.0', 'Too many failed logins; try again in an hour')
    throw new Rejection(535, '5.7.8', 'Authentication credentials invalid')
  }

  /** A session lasts for hours. It ends when the password changes or the mailbox is deleted. */
  async #current(account: Account): Promise<Account> {
    const now = await accountById(this.#parts.db, account)
    if (now && now.passwordHash === account.passwordHash) return now
    throw new Rejection(530, '5.7.0', 'The password was changed; authenticate again')
  }
}

/** For a client that has not authenticated. */
export const unauthenticated = delegating(async (_sender, { tls }) => {
  throw new Rejection(530, '5.7.0', tls ? 'Authentication required' : 'Send STARTTLS, then authenticate')
})

/** For a server of ours that has authenticated the client itself: the envelope sender names the account. */
export function trustedProxy(db: Db, submit: Submit): MailHandler<Named> {
  return delegating(async (sender) => {
    const account = sender === '' ? undefined : await accountByAddress(db, sender)
    if (!account) throw new Rejection(553, '5.7.1', 'No mailbox here has that address')
    return await submit(account, sender)
  })
}

/** A handler that chooses another one at MAIL. */
function delegating(begin: (sender: string, client: Client) => Promise<MailHandler<Named>>): MailHandler<Named> {
  const never = async () => {
    throw new Error('a message begins with MAIL')
  }
  return { begin, admit: never, receive: never }
}
