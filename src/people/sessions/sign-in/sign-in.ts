import { record } from '#/base/audit/record.ts'
import type { Db, Tx } from '#/base/db/schema.ts'
import { Refusal } from '#/base/errors.ts'
import type { MemberRef } from '#/people/members/member.ts'
import { memberById } from '#/people/members/queries.ts'
import { linkToken } from '../invitation/link.ts'
import type { Assertion } from '../passkeys/schemas.ts'
import { enterByPasskey, type PasskeyDependencies } from '../passkeys/signed.ts'
import { assertStillPassword, type Given, holderOf } from '../password/password.ts'
import { consumeLink, insertSession } from '../queries.ts'
import { hashToken, newToken } from '../token.ts'
import type { SecondFactorDependencies } from '../totp/second-factor.ts'

/** The client that signs in, and the time. */
export interface Arrival {
  readonly address: string
  readonly userAgent: string
  readonly now: Date
}

/** A new session: its token, shown once, and its member. */
export interface Opened {
  readonly token: string
  readonly member: MemberRef
}

const longestUserAgent = 400

/** Opens a session by a link, which works once: after a crash there is either the link or the session. @throws Refusal */
export async function signInByLink(db: Db, link: string, arrival: Arrival): Promise<Opened> {
  const given = linkToken(link)
  if (given === undefined) throw unusable()
  const token = newToken()
  const member = await db.transaction().execute(async (tx) => {
    const member = await consumeLink(tx, hashToken(given), arrival.now)
    if (!member) throw unusable()
    await openSession(tx, member, token, { ...arrival, way: 'link' })
    return member
  })
  return { token, member }
}

/** Opens a session by an address and a password, and a code if the member has a second factor. @throws Refusal */
export async function signInByPassword(
  parts: SecondFactorDependencies,
  given: Given,
  arrival: Arrival,
): Promise<Opened> {
  const holder = await holderOf(parts, given, arrival)
  const token = newToken()
  await parts.db.transaction().execute(async (tx) => {
    await assertStillPassword(tx, holder)
    await openSession(tx, holder, token, { ...arrival, way: 'password' })
  })
  return { token, member: holder }
}

/** Opens a session by a passkey. It counts as two factors, since the authenticator has verified its user. @throws Refusal */
export async function signInByPasskey(
  parts: PasskeyDependencies,
  passkey: Assertion,
  arrival: Arrival,
): Promise<Opened> {
  const token = newToken()
  const member = await enterByPasskey({ ...parts, ...arrival }, passkey, (tx, member) =>
    openSession(tx, member, token, { ...arrival, way: 'passkey' }),
  )
  return { token, member }
}

interface Entry {
  readonly way: 'link' | 'password' | 'passkey' | 'single_sign_on'
  /** When the member confirmed who they are; by default now. */
  readonly confirmedAt?: Date
}

/** Records the sign-in in the audit trail, whichever way it was. */
export async function openSession(
  tx: Tx,
  ref: MemberRef,
  token: string,
  { address, userAgent, now, way, confirmedAt = now }: Arrival & Entry,
): Promise<void> {
  const { organizationId, memberId: id } = ref
  const seen = { client_address: address, user_agent: userAgent.slice(0, longestUserAgent) }
  await insertSession(tx, ref, { hash: hashToken(token), ...seen, confirmed_at: confirmedAt }, now)
  const name = (await memberById(tx, organizationId, id))?.email ?? ''
  const entry = { organizationId, action: 'member.signed_in', id, name, before: null, after: { way, ...seen } } as const
  await record(tx, { kind: 'member', id, name, address }, entry)
}

export function unusable(): Refusal {
  return new Refusal('unauthorized', 'This link was used already, has expired, or was replaced by a newer one', {
    fix: 'Ask an owner or an admin of the organization for a new one, or the operator (`mailroom member invite`)',
  })
}
