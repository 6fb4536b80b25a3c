import type { Actor } from '#/base/audit/actor.ts'
import { type Change, record } from '#/base/audit/record.ts'
import type { Tx } from '#/base/db/schema.ts'
import { invalid, notFound, type Refusal } from '#/base/errors.ts'
import type { MemberRef } from '#/people/members/member.ts'
import type { InSession } from '../for-members.ts'
import { passwordOf } from '../password/queries.ts'
import { deleteOtherSessions } from '../queries.ts'
import { hasIdentity } from '../single-sign-on/queries.ts'
import { newChallenge } from './challenges.ts'
import { creationOptions } from './options.ts'
import { deletePasskey, insertPasskey, lockMember, type Passkey, passkeysOf, renamePasskey } from './queries.ts'
import { passkeyName, type Registration } from './schemas.ts'
import { type PasskeyDependencies, signedChallenge, unusable } from './signed.ts'
import { verifiedRegistration } from './verify.ts'

/** Whether passwords and single sign-on are available as well. */
export interface OtherWays {
  readonly passwords: boolean
  /** Of single sign-on. */
  readonly issuer: string | undefined
}

/** Existing passkeys, which every challenge lists. */
const mostPasskeys = 20

/** Options for a browser to create a passkey for the member. @throws Refusal */
export async function beginPasskey({ db, relyingParty, now }: PasskeyDependencies, member: InSession) {
  const [about, existing] = await Promise.all([passwordOf(db, member), passkeysOf(db, member)])
  if (!about) throw notFound('member')
  if (existing.length >= mostPasskeys) throw tooMany()
  const challenge = await newChallenge(db, { purpose: 'add', sessionId: member.sessionId }, now)
  return creationOptions(challenge, relyingParty, { ...member, ...about }, existing)
}

/** Stores the passkey that a browser has created. @throws Refusal */
export async function addPasskey(
  parts: PasskeyDependencies,
  member: InSession,
  given: { readonly name: string; readonly credential: Registration; readonly by: Actor },
): Promise<Passkey> {
  const { db, relyingParty, now } = parts
  const { credential, by } = given
  const name = passkeyName(given.name)
  const { response } = credential
  const challenge = await signedChallenge(parts, response, { purpose: 'add', sessionId: member.sessionId })
  const made = challenge && (await verifiedRegistration(credential, { relyingParty, challenge }))
  if (!made) throw unusable('credential')
  return await db.transaction().execute(async (tx) => {
    await lockMember(tx, member)
    if ((await passkeysOf(tx, member)).length >= mostPasskeys) throw tooMany()
    const row = { ...made, transports: response.transports ?? [], name, created_at: now }
    const passkey = await insertPasskey(tx, member, row)
    if (!passkey) throw invalid('credential', 'This passkey is known here already')
    await enter(tx, member, by, { action: 'member.passkey_added', before: null, after: { passkey: name } })
    return passkey
  })
}

/** Gives a passkey another name. @throws Refusal */
export async function changePasskey(
  tx: Tx,
  { by, ...member }: MemberRef & { readonly by: Actor },
  { id, name: given }: { readonly id: string; readonly name: string },
): Promise<Passkey> {
  const name = passkeyName(given)
  const changed = await renamePasskey(tx, member, { id, name })
  if (!changed) throw notFound('passkey')
  const [before, after] = [{ passkey: changed.before }, { passkey: name }]
  await enter(tx, member, by, { action: 'member.passkey_renamed', before, after })
  return changed.passkey
}

/** Removes a passkey and ends the member's other sessions, since somebody with the passkey may have opened one. Without
 *  another way to sign in the last passkey stays, so that members do not lock themselves out. @throws Refusal */
export async function removePasskey(
  tx: Tx,
  { by, ways, ...member }: InSession & { readonly by: Actor; readonly ways: OtherWays },
  id: string,
): Promise<void> {
  await lockMember(tx, member)
  const gone = await deletePasskey(tx, member, id)
  if (!gone) throw notFound('passkey')
  const isLast = (await passkeysOf(tx, member)).length === 0
  if (isLast && !(await hasOtherWay(tx, member, ways))) throw lastWayIn()
  await deleteOtherSessions(tx, member, member.sessionId)
  await enter(tx, member, by, { action: 'member.passkey_removed', before: { passkey: gone.name }, after: null })
}

async function hasOtherWay(tx: Tx, member: MemberRef, { passwords, issuer }: OtherWays): Promise<boolean> {
  if (passwords && (await passwordOf(tx, member))?.hash) return true
  return issuer !== undefined && (await hasIdentity(tx, member, issuer))
}

async function enter(
  tx: Tx,
  { organizationId, memberId }: MemberRef,
  by: Actor,
  change: Pick<Change, 'action' | 'before' | 'after'>,
): Promise<void> {
  await record(tx, by, { ...change, organizationId, id: memberId, name: by.name })
}

function tooMany(): Refusal {
  return invalid('credential', `You have ${mostPasskeys} passkeys, which is the most`, 'Remove one first')
}

function lastWayIn(): Refusal {
  return invalid(
    'id',
    'This is your only way in: you have no other passkey and no password, and have never used single sign-on here',
    'Add another passkey or set a password first',
  )
}
