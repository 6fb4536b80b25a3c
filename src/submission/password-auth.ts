import type { Logger } from 'pino'
import type { Db } from '#/db/schema.ts'
import { clientNetwork } from '#/inbound/client-address.ts'
import type { Client, Named } from '#/inbound/envelope.ts'
import type { MailHandler, SmtpAuth } from '#/inbound/mail-handler.ts'
import { Rejection } from '#/inbound/reply.ts'
import { isPassword } from '#/mailboxes/password.ts'
import { canonicalAddress } from '#/mime/address.ts'
import { type Account, accountAt, accountOf, accountStill } from './accounts.ts'
import { type AttemptsKey, attemptOf, begin, failed, succeeded } from './attempts.ts'
import { credentials, mechanisms } from './sasl.ts'

/** Takes mail on from whoever may send. */
export type Submit = (account: Account, sender: string) => Promise<MailHandler<Named>>

export interface PasswordAuthParts {
  readonly db: Db
  readonly key: AttemptsKey
  readonly submit: Submit
  readonly log: Logger
  /** Hears how each login ended. */
  readonly observe?: ((outcome: 'accepted' | 'refused' | 'throttled') => void) | undefined
}

/** Lets people in by the address of their mailbox and its password. */
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
    const account = await this.#account(login, password, client)
    return deciding(async (sender) => await this.#parts.submit(await this.#still(account), sender))
  }

  /** A password is looked at once, and not at all where there have been too many. */
  async #account(login: string, given: string, { address: from }: Client): Promise<Account> {
    const { db, key, log, observe } = this.#parts
    const address = canonicalAddress(login)
    const password = given.normalize('NFC')
    const account = address === undefined ? undefined : await accountAt(db, address)
    const attempt = attemptOf(key, {
      ...{ client: clientNetwork(from), login: address ?? '', password },
      passwordHash: account?.passwordHash ?? '',
    })
    const before = await begin(db, attempt)
    const right = before === 'try' && (await isPassword(password, account?.passwordHash ?? null))
    if (account && right) {
      await succeeded(db, attempt)
      observe?.(account.suspended ? 'refused' : 'accepted')
      if (!account.suspended) return account
      throw new Rejection(535, '5.7.13', `${account.address} is suspended`)
    }
    if (before === 'try') await failed(db, attempt)
    observe?.(before === 'throttled' ? before : 'refused')
    log.info({ client: from, mailbox: account?.mailboxId, throttled: before === 'throttled' }, 'login refused')
    if (before !== 'throttled') throw new Rejection(535, '5.7.8', 'Authentication credentials invalid')
    throw new Rejection(454, '4.7.0', 'Too many failed logins; try again in an hour')
  }

  /** A session lasts for hours. With another password, or without its mailbox, it is over. */
  async #still(account: Account): Promise<Account> {
    const now = await accountStill(this.#parts.db, account)
    if (now && now.passwordHash === account.passwordHash) return now
    throw new Rejection(530, '5.7.0', 'The password was changed; authenticate again')
  }
}

/** Before anybody has logged in. */
export const nobody = deciding(async (_sender, { tls }) => {
  throw new Rejection(530, '5.7.0', tls ? 'Authentication required' : 'Send STARTTLS, then authenticate')
})

/** Takes mail from a server of ours that has asked for passwords itself: its word for who sends is the envelope sender. */
export function trusting(db: Db, submit: Submit): MailHandler<Named> {
  return deciding(async (sender) => {
    const account = sender === '' ? undefined : await accountOf(db, sender)
    if (!account) throw new Rejection(553, '5.7.1', 'No mailbox here has that address')
    return await submit(account, sender)
  })
}

function deciding(begin: (sender: string, client: Client) => Promise<MailHandler<Named>>): MailHandler<Named> {
  const never = async () => {
    throw new Error('a message begins with MAIL')
  }
  return { begin, admit: never, receive: never }
}
