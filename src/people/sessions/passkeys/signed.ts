import { byService } from '#/base/audit/actor.ts'
import { record } from '#/base/audit/record.ts'
import type { Db, Tx } from '#/base/db/schema.ts'
import { invalid, Refusal } from '#/base/errors.ts'
import type { MemberRef } from '#/people/members/member.ts'
import { memberById } from '#/people/members/queries.ts'
import type { InSession } from '../for-members.ts'
import { confirmSession } from '../queries.ts'
import { newChallenge, type Purpose, useChallenge } from './challenges.ts'
import { requestOptions, userHandle } from './options.ts'
import { type HeldPasskey, passkeysOf, passkeyWith, usePasskey } from './queries.ts'
import type { RelyingParty } from './relying-party.ts'
import type { Assertion } from './schemas.ts'
import { challengeIn, verifiedCounter } from './verify.ts'

/** What verifies a signed challenge. */
export interface PasskeyDependencies {
  readonly db: Db
  readonly relyingParty: RelyingParty
  readonly now: Date
}

/** The client's address. */
interface Seen {
  readonly address: string
}

/** A passkey that has signed, and the signed counter. */
interface Signed extends HeldPasskey {
  readonly counter: number
}

/** Options for a browser to sign in, or to confirm the member of a session. @throws Refusal */
export async function challengePasskey({ db, relyingParty, now }: PasskeyDependencies, member?: InSession) {
  if (!member) return requestOptions(await newChallenge(db, { purpose: 'sign_in' }, now), relyingParty)
  const passkeys = await passkeysOf(db, member)
  if (passkeys.length === 0) throw invalid('passkey', 'You have no passkey')
  const challenge = await newChallenge(db, { purpose: 'confirm', sessionId: member.sessionId }, now)
  return requestOptions(challenge, relyingParty, passkeys)
}

/** Runs a sign-in for the member whose passkey has signed its challenge. @throws Refusal */
export async function enterByPasskey(
  parts: PasskeyDependencies & Seen,
  assertion: Assertion,
  work: (tx: Tx, member: MemberRef) => Promise<void>,
): Promise<MemberRef> {
  const signed = await signedPasskey(parts, assertion, { purpose: 'sign_in' })
  // Only the passkey identifies the member, so it must name them (WebAuthn, section 7.2, step 6).
  const names = assertion.response.userHandle !== undefined
  if (!signed || !names || !(await withSigned(parts, signed, (tx) => work(tx, signed)))) throw unknown()
  return signed
}

/** Confirms the member of a session by their passkey. @throws Refusal */
export async function confirmByPasskey(
  parts: PasskeyDependencies & Seen,
  member: InSession,
  assertion: Assertion,
): Promise<void> {
  const signed = await signedPasskey(parts, assertion, { purpose: 'confirm', sessionId: member.sessionId })
  const isTheirs = signed?.organizationId === member.organizationId && signed.memberId === member.memberId
  if (!isTheirs || !(await withSigned(parts, signed, (tx) => confirmSession(tx, member, parts.now)))) {
    throw unusable('passkey')
  }
}

/** Runs the work that a signature allows, in the transaction that records the use. False if the passkey is deleted, or has been
 *  copied; the audit trail records the latter. */
async function withSigned(
  { db, now, address }: PasskeyDependencies & Seen,
  signed: Signed,
  work: (tx: Tx) => Promise<unknown>,
): Promise<boolean> {
  return await db.transaction().execute(async (tx) => {
    const outcome = await usePasskey(tx, signed, { counter: signed.counter, now })
    if (outcome === 'used') await work(tx)
    if (outcome === 'copied') {
      const { organizationId, memberId: id, name: passkey } = signed
      const name = (await memberById(tx, organizationId, id))?.email ?? ''
      const entry = {
        organizationId,
        action: 'member.passkey_copied',
        id,
        name,
        before: null,
        after: { passkey },
      } as const
      await record(tx, { ...byService, address }, entry)
    }
    return outcome === 'used'
  })
}

async function signedPasskey(
  parts: PasskeyDependencies,
  assertion: Assertion,
  purpose: Purpose,
): Promise<Signed | undefined> {
  const { id, response } = assertion
  const challenge = await signedChallenge(parts, response, purpose)
  const passkey = challenge && (await passkeyWith(parts.db, Buffer.from(id, 'base64url')))
  if (!passkey) return undefined
  const handle = response.userHandle
  if (handle !== undefined && !Buffer.from(handle, 'base64url').equals(userHandle(passkey))) return undefined
  const { relyingParty } = parts
  const counter = await verifiedCounter(assertion, passkey.public_key, { relyingParty, challenge })
  return counter === undefined ? undefined : { ...passkey, counter }
}

/** The signed challenge, used up; undefined if it is not valid for this purpose. */
export async function signedChallenge(
  { db, now }: PasskeyDependencies,
  { clientDataJSON }: { readonly clientDataJSON: string },
  purpose: Purpose,
): Promise<string | undefined> {
  const challenge = challengeIn(clientDataJSON)
  return challenge !== undefined && (await useChallenge(db, challenge, purpose, now)) ? challenge : undefined
}

/** The signature is for another purpose, or too late. */
export function unusable(field: 'credential' | 'passkey'): Refusal {
  return invalid(
    field,
    'This does not answer a challenge of this session, or the challenge has expired',
    'Ask for a new challenge, and answer it within 5 minutes',
  )
}

function unknown(): Refusal {
  return new Refusal('unauthorized', 'This passkey is unknown here, or its answer is invalid', {
    fix: 'Try again, or sign in another way',
  })
}
