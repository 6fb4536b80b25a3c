import type { Logger } from 'pino'
import type { Db } from '#/base/db/schema.ts'
import { Refusal } from '#/base/errors.ts'
import { isPassword } from '#/base/secrets/password.ts'
import { normalized } from '#/base/text/unicode.ts'
import { canonicalAddress } from '#/formats/mime/address/address.ts'
import { type AttemptsKey, tryGuess } from '#/people/passwords/attempts.ts'
import { guesserOf } from '#/people/passwords/guesser.ts'
import { type Account, accountByLogin } from './accounts.ts'
import type { Credentials } from './sasl.ts'

export interface LoginDependencies {
  readonly db: Db
  readonly key: AttemptsKey
  readonly log: Logger
  /** Called with the result of each login. */
  readonly observe?: ((outcome: 'accepted' | 'refused' | 'throttled') => void) | undefined
}

/** Why a mail program is not let in: `busy` while too many passwords are verified, `throttled` after too many wrong ones, `wrong`
 *  for an unknown address as for a wrong password, `suspended` with the right one. */
export type LoginFault = 'busy' | 'throttled' | 'wrong' | 'suspended'

/** A login that is refused. The edge says it in its protocol. */
export class LoginRefused extends Error {
  readonly fault: LoginFault

  constructor(fault: LoginFault, message: string) {
    super(message)
    this.fault = fault
  }
}

/** The account of a mailbox's address and password, for submission as for IMAP. The password is verified once, and not at all while
 *  the client is throttled. @throws LoginRefused */
export async function logInTo(
  { db, key, log, observe }: LoginDependencies,
  { login, password: given }: Credentials,
  from: string,
): Promise<Account> {
  const address = canonicalAddress(login)
  const password = normalized(given, 'NFC')
  const account = address === undefined ? undefined : await accountByLogin(db, address)
  const hash = account?.passwordHash ?? null
  const guess = { address: from, login: address ?? '', guess: password, against: hash ?? '' }
  const guesser = await guesserOf(db, address ?? '', from)
  const outcome = await tryGuess(db, key, guess, () => isPassword(password, hash, guesser)).catch((error) => {
    if (!(error instanceof Refusal)) throw error
    observe?.('throttled')
    throw new LoginRefused('busy', error.message)
  })
  if (account && outcome === 'right') {
    observe?.(account.suspended ? 'refused' : 'accepted')
    if (!account.suspended) return account
    throw new LoginRefused('suspended', `${account.address} is suspended`)
  }
  const throttled = outcome === 'throttled'
  observe?.(throttled ? 'throttled' : 'refused')
  log.info({ client: from, mailbox: account?.mailboxId, throttled }, 'login refused')
  if (throttled) throw new LoginRefused('throttled', 'Too many failed logins; try again in an hour')
  throw new LoginRefused('wrong', 'Authentication credentials invalid')
}
