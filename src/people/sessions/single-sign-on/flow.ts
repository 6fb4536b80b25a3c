import { randomBytes } from 'node:crypto'
import type { Db } from '#/base/db/schema.ts'
import { Refusal } from '#/base/errors.ts'
import { type Identity, IdentityFailure, type IdentityProvider } from '#/people/identity-provider/identity-provider.ts'
import { confirmSession } from '../queries.ts'
import { type Arrival, type Opened, openSession } from '../sign-in/sign-in.ts'
import { hashToken, isToken, newToken } from '../token.ts'
import { SignOnFailure } from './failure.ts'
import { type Admission, knownMember, memberOfIdentity } from './holder.ts'
import { consumePending, insertPending, type Pending } from './queries.ts'

/** A provider, and the people whom it may sign in. */
export interface SignOn {
  readonly provider: IdentityProvider
  readonly admission: Admission
}

export interface SignOnDependencies {
  readonly db: Db
  readonly signOn: SignOn
}

/** The largest accepted difference between the clocks of a provider and this machine. */
const clocksDifferMs = 30_000

/** The purpose of a browser's visit to the provider. */
export interface SignOnRequest extends Pick<Pending, 'returnTo' | 'organization' | 'session'> {
  readonly redirectUri: string
  readonly anewAs: string | undefined
}

/** Begins a sign-in or a confirmation. Answers where the browser is redirected, and the token for its cookie. @throws
 *  Refusal if the provider does not answer */
export async function beginSignOn(
  { db, signOn: { provider } }: SignOnDependencies,
  { redirectUri, anewAs, ...wanted }: SignOnRequest,
  now: Date,
): Promise<{ readonly url: string; readonly token: string }> {
  const random = () => randomBytes(32).toString('base64url')
  const secrets = { state: random(), nonce: random(), verifier: random() }
  const url = await provider.authorizationUrl({ ...secrets, redirectUri, anewAs }).catch((error: unknown) => {
    if (!(error instanceof IdentityFailure)) throw error
    throw new Refusal('provider_unavailable', `${provider.name} did not answer; try again shortly`, { cause: error })
  })
  const token = newToken()
  await insertPending(db, { ...wanted, ...secrets, hash: hashToken(token), begunAt: now })
  return { url, token }
}

/** Where the browser is redirected finally, and the new session, unless it was a confirmation. */
export interface Completed {
  readonly returnTo: string
  readonly opened: Opened | undefined
}

/** Opens a session, or confirms one, by a provider's answer. A page of another site can send any answer here with a member's
 *  browser, also a valid answer of the attacker, so that the member works in the attacker's session. So an answer is
 *  accepted only from the browser that began it, by the token in its cookie, and for its request, by the state. Both must match
 *  before anything else happens, and then are used up. @throws SignOnFailure */
export async function completeSignOn(
  { db, signOn }: SignOnDependencies,
  { answer, token }: { readonly answer: URL; readonly token: string | undefined },
  arrival: Arrival,
): Promise<Completed> {
  const state = answer.searchParams.get('state')
  const pending =
    token !== undefined && isToken(token) && state !== null
      ? await consumePending(db, { hash: hashToken(token), state }, arrival.now)
      : undefined
  if (!pending) throw new SignOnFailure('expired')
  try {
    return await completed({ db, signOn }, { answer, pending }, arrival)
  } catch (error) {
    if (!(error instanceof SignOnFailure || error instanceof IdentityFailure)) throw error
    const { reason, message } = error
    throw new SignOnFailure(reason, { message, ...(pending.session && { page: pending.returnTo }) })
  }
}

async function completed(
  { db, signOn }: SignOnDependencies,
  { answer, pending }: { readonly answer: URL; readonly pending: Pending },
  arrival: Arrival,
): Promise<Completed> {
  const { state, nonce, verifier, returnTo, session, begunAt } = pending
  const redirectUri = `${answer.origin}${answer.pathname}`
  const identity = await signOn.provider.identify(answer, { redirectUri, state, nonce, verifier, anewAs: undefined })
  if (session === null) return { returnTo, opened: await signIn({ db, signOn }, { identity, pending }, arrival) }
  await confirm({ db, signOn }, { identity, session, begunAt }, arrival.now)
  return { returnTo, opened: undefined }
}

/** Signing in at the provider is a confirmation as of its time there: a session at the provider may be a day old. */
async function signIn(
  { db, signOn: { admission, provider } }: SignOnDependencies,
  { identity, pending: { organization } }: { readonly identity: Identity; readonly pending: Pending },
  arrival: Arrival,
): Promise<Opened> {
  const by = { kind: 'single_sign_on', id: null, name: provider.name, address: arrival.address } as const
  const token = newToken()
  const member = await db.transaction().execute(async (tx) => {
    const member = await memberOfIdentity(tx, identity, {
      admission,
      by,
      ...(organization !== null && { organization }),
    })
    const at = identity.authenticatedAt ?? new Date(0)
    const confirmedAt = at < arrival.now ? at : arrival.now
    await openSession(tx, member, token, { ...arrival, way: 'single_sign_on', confirmedAt })
    return member
  })
  return { token, member }
}

/** Confirms the member of the session, if they have signed in at the provider since the request. */
async function confirm(
  { db, signOn: { admission } }: SignOnDependencies,
  {
    identity,
    session: { organizationId, id },
    begunAt,
  }: { identity: Identity; session: NonNullable<Pending['session']>; begunAt: Date },
  now: Date,
): Promise<void> {
  const { authenticatedAt, address = '' } = identity
  const { issuer } = admission
  if (!authenticatedAt || authenticatedAt.getTime() < begunAt.getTime() - clocksDifferMs)
    throw new SignOnFailure('not_confirmed')
  await db.transaction().execute(async (tx) => {
    const member = await knownMember(tx, identity, { issuer, address, organization: organizationId })
    if (!member || !(await confirmSession(tx, { ...member, sessionId: id }, now)))
      throw new SignOnFailure('not_confirmed')
  })
}
