import type { Actor } from '#/base/audit/actor.ts'
import { record } from '#/base/audit/record.ts'
import type { Db, Tx } from '#/base/db/schema.ts'
import { invalid, notFound, Refusal } from '#/base/errors.ts'
import { type SealingKey, seal, unseal } from '#/base/secrets/seal.ts'
import type { MemberRef } from '#/people/members/member.ts'
import { type AttemptsKey, tryGuess } from '#/people/passwords/attempts.ts'
import {
  hashRecoveryCode,
  isTimedCode,
  newRecoveryCodes,
  newSecret,
  plainCode,
  stepAt,
  stepOfCode,
  timedCodes,
} from './code.ts'
import {
  deleteRecoveryCode,
  deleteTotp,
  enableTotp,
  insertRecoveryCodes,
  insertTotp,
  totpOf,
  useStep,
} from './queries.ts'

export interface SecondFactorDependencies {
  readonly db: Db
  readonly attemptsKey: AttemptsKey
  /** The key that seals secrets. */
  readonly totpKey: SealingKey
}

/** A code given with a password, the client's address, and the time. */
export interface GivenCode {
  readonly code: string | undefined
  readonly address: string
  readonly now: Date
}

/** Requires a code from a member with a second factor, and uses it up. @throws Refusal without a valid code, or if the
 *  client guesses too often */
export async function assertSecondFactor(
  parts: SecondFactorDependencies,
  member: MemberRef,
  { code, address, now }: GivenCode,
): Promise<void> {
  const { db, attemptsKey } = parts
  const found = await totpOf(db, member)
  if (!found?.enabled_at) return
  if (code === undefined) throw needsCode('This needs a code of your second factor too')
  const guess = plainCode(code)
  // A wrong code may be right half a minute later.
  const against = `${stepAt(now.getTime())}`
  const outcome = await tryGuess(
    db,
    attemptsKey,
    { address, login: `code ${member.memberId}`, guess, against },
    async () => {
      if (!isTimedCode(guess)) return await deleteRecoveryCode(db, member, hashRecoveryCode(guess))
      const step = stepOfCode(opened(parts, member, found.secret), guess, now.getTime())
      return step !== undefined && (await useStep(db, member, step))
    },
  )
  if (outcome === 'right') return
  if (outcome === 'wrong') throw needsCode('This code is wrong, or was used before')
  throw new Refusal('rate_limited', 'Too many wrong codes; try again in an hour', { retryAfter: 3_600 })
}

/** Makes a secret, which has no effect until a code confirms it. @throws Refusal if one is in effect */
export async function beginTotp(
  { db, totpKey }: Pick<SecondFactorDependencies, 'db' | 'totpKey'>,
  member: MemberRef,
  { email, organization }: { readonly email: string; readonly organization: string },
): Promise<{ readonly secret: string; readonly uri: string }> {
  const secret = newSecret()
  if (!(await insertTotp(db, member, seal(totpKey, placeOf(member), secret)))) {
    throw new Refusal('invalid_request', 'You have a second factor', { fix: 'Remove it first: `DELETE /v1/me/totp`' })
  }
  const codes = timedCodes(secret, { issuer: `Mailroom (${organization})`, label: email })
  return { secret: codes.secret.base32, uri: codes.toString() }
}

/** Enables the second factor by a first code. Answers the recovery codes, only now. @throws Refusal */
export async function confirmTotp(
  parts: Pick<SecondFactorDependencies, 'db' | 'totpKey'>,
  member: MemberRef,
  { code, by, now }: { readonly code: string; readonly by: Actor; readonly now: Date },
): Promise<string[]> {
  const found = await totpOf(parts.db, member)
  if (!found || found.enabled_at) {
    throw new Refusal('invalid_request', 'No second factor is being set up', { fix: 'Begin with `POST /v1/me/totp`' })
  }
  const given = plainCode(code)
  const secret = opened(parts, member, found.secret)
  const step = isTimedCode(given) ? stepOfCode(secret, given, now.getTime()) : undefined
  if (step === undefined) throw invalid('code', 'This code is not valid at this time', 'Check the clock of your device')
  const codes = newRecoveryCodes()
  await parts.db.transaction().execute(async (tx) => {
    if (!(await enableTotp(tx, member, { secret: found.secret, step, now }))) {
      throw invalid('code', 'This is not the code of the newest secret')
    }
    const hashes = codes.map((one) => hashRecoveryCode(plainCode(one)))
    await insertRecoveryCodes(tx, member, hashes)
    await record(tx, by, entryOf(member, by, 'member.totp_enabled'))
  })
  return codes
}

/** Removes the second factor with its recovery codes. @throws Refusal if there is none */
export async function removeTotp(tx: Tx, member: MemberRef, by: Actor): Promise<void> {
  if (!(await deleteTotp(tx, member))) throw notFound('second factor')
  await record(tx, by, entryOf(member, by, 'member.totp_disabled'))
}

function entryOf(
  { organizationId, memberId }: MemberRef,
  { name }: Actor,
  action: 'member.totp_enabled' | 'member.totp_disabled',
) {
  return { organizationId, action, id: memberId, name, before: null, after: null }
}

function opened({ totpKey }: Pick<SecondFactorDependencies, 'totpKey'>, member: MemberRef, sealed: Buffer): Buffer {
  return unseal(totpKey, placeOf(member), sealed)
}

function placeOf({ organizationId, memberId }: MemberRef): string {
  return `${organizationId} ${memberId}`
}

function needsCode(message: string): Refusal {
  return new Refusal('unauthorized', message, {
    fix: 'Send `code` beside the password: six digits of your application, or a recovery code',
    needs: 'code',
  })
}
