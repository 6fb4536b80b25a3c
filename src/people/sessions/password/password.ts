import type { Actor } from '#/base/audit/actor.ts'
import { record } from '#/base/audit/record.ts'
import type { Db, Tx } from '#/base/db/schema.ts'
import { invalid, Refusal } from '#/base/errors.ts'
import { chosenPassword, hashPassword, isPassword } from '#/base/secrets/password.ts'
import { normalized } from '#/base/text/unicode.ts'
import { tryGuess } from '#/people/passwords/attempts.ts'
import { isGuessable } from '#/people/passwords/guessable.ts'
import { guesserOf } from '#/people/passwords/guesser.ts'
import type { InSession } from '../for-members.ts'
import { confirmSession, deleteLink, deleteOtherSessions } from '../queries.ts'
import { assertSecondFactor, type GivenCode, type SecondFactorDependencies } from '../totp/second-factor.ts'
import { isStillPassword, type PasswordHolder, passwordHolder, passwordOf, replacePassword } from './queries.ts'

/** The credentials of a sign-in. */
export interface Given {
  readonly email: string
  readonly password: string
  /** The code of a second factor. */
  readonly code: string | undefined
  /** The organization's name or id. */
  readonly organization: string | undefined
}

/** The member with this address, password and code. Neither the text nor the time of the answer reveals whether the address
 *  is known. @throws Refusal */
export async function holderOf(
  parts: SecondFactorDependencies,
  given: Given,
  { address, now }: Omit<GivenCode, 'code'>,
): Promise<PasswordHolder> {
  const email = given.email.toLowerCase()
  const holder = await passwordHolder(parts.db, email, given.organization)
  const isRight = await tryPassword(parts, { email, password: given.password, hash: holder?.hash, address })
  if (!holder || !isRight) throw wrong()
  await assertSecondFactor(parts, holder, { code: given.code, address, now })
  return holder
}

/** Refuses if the password was changed during its verification. @throws Refusal */
export async function assertStillPassword(tx: Tx, holder: PasswordHolder): Promise<void> {
  if (!(await isStillPassword(tx, holder))) throw wrong()
}

/** Confirms the member of a session by their password, and a code if they have a second factor. @throws Refusal */
export async function confirmByPassword(
  parts: SecondFactorDependencies,
  member: InSession,
  { password, ...given }: GivenCode & { readonly password: string },
): Promise<void> {
  const found = await passwordOf(parts.db, member)
  if (!found?.hash) throw invalid('password', 'You have no password yet', 'Sign in again with a new sign-in link')
  const email = found.email.toLowerCase()
  if (!(await tryPassword(parts, { email, password, hash: found.hash, address: given.address }))) {
    throw invalid('password', 'This is not your password')
  }
  await assertSecondFactor(parts, member, given)
  await confirmSession(parts.db, member, given.now)
}

/** Sets or changes a member's password, which ends their other sessions and their sign-in link. @throws Refusal */
export async function setPassword(
  db: Db,
  member: InSession,
  { password, by, now }: { readonly password: string; readonly by: Actor; readonly now: Date },
  /** Called in the transaction. */
  done: (tx: Tx) => Promise<void> = async () => {},
): Promise<void> {
  const chosen = chosenPassword(password)
  const found = await passwordOf(db, member)
  if (!found) throw new Refusal('not_found', 'No such member')
  if (await isGuessable(chosen, [found.email, ...found.email.split('@'), found.name, found.organization, 'mailroom'])) {
    throw invalid('password', 'password is too easily guessed', 'Choose another, such as four unrelated words')
  }
  const hash = await hashPassword(chosen, { organization: member.organizationId, key: member.memberId })
  await db.transaction().execute(async (tx) => {
    await replacePassword(tx, member, { hash, set_at: now })
    await deleteOtherSessions(tx, member, member.sessionId)
    await deleteLink(tx, member)
    await record(tx, by, {
      ...{ organizationId: member.organizationId, action: 'member.password_changed' },
      ...{ id: member.memberId, name: found.email, before: null, after: null },
    })
    await done(tx)
  })
}

/** @param hash undefined if there is no such member or no password @throws Refusal if the client guesses too often */
async function tryPassword(
  { db, attemptsKey }: SecondFactorDependencies,
  { email, password, hash, address }: { email: string; password: string; hash: string | undefined; address: string },
): Promise<boolean> {
  // Addresses of mailboxes contain no space, so their logins are counted separately.
  const guess = { address, login: `member ${email}`, guess: normalized(password, 'NFC'), against: hash ?? '' }
  const guesser = await guesserOf(db, email, address)
  const outcome = await tryGuess(db, attemptsKey, guess, () => isPassword(password, hash ?? null, guesser))
  if (outcome !== 'throttled') return outcome === 'right'
  throw new Refusal('rate_limited', 'Too many failed attempts; try again in an hour', { retryAfter: 3_600 })
}

function wrong(): Refusal {
  return new Refusal('unauthorized', 'Wrong address or password', {
    fix:
      'Check both. A member of several organizations names one in `organization`. Without a password, sign in with a ' +
      'link',
  })
}
