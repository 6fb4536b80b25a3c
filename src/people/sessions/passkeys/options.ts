import type { MemberRef } from '#/people/members/member.ts'
import { challengeLivesMs } from './challenges.ts'
import type { Credential } from './queries.ts'
import type { RelyingParty } from './relying-party.ts'
import { algorithms } from './verify.ts'

/** The id by which an authenticator knows a member. It reveals nothing, and no two memberships share one. */
export function userHandle({ memberId }: Pick<MemberRef, 'memberId'>): Buffer {
  return Buffer.from(memberId.replaceAll('-', ''), 'hex')
}

/** Options for a browser to create a passkey. It is discoverable, and used after a PIN, a finger or a face. */
export function creationOptions(
  challenge: string,
  { id }: RelyingParty,
  member: MemberRef & { readonly email: string; readonly name: string; readonly organization: string },
  existing: readonly Described[],
) {
  const { email, name, organization } = member
  return {
    challenge,
    rp: { id, name: 'Mailroom' },
    user: {
      id: userHandle(member).toString('base64url'),
      name: email,
      // Distinguishes two organizations with the same address.
      displayName: `${name || email} (${organization})`,
    },
    pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key' as const, alg })),
    timeout: challengeLivesMs,
    excludeCredentials: existing.map(descriptor),
    authenticatorSelection: {
      residentKey: 'required',
      requireResidentKey: true,
      userVerification: 'required',
    } as const,
    attestation: 'none' as const,
  }
}

/** Options for a browser to request one of these passkeys; any if there are none. */
export function requestOptions(challenge: string, { id: rpId }: RelyingParty, allowed: readonly Described[] = []) {
  return {
    ...{ challenge, rpId, timeout: challengeLivesMs },
    allowCredentials: allowed.map(descriptor),
    userVerification: 'required' as const,
  }
}

type Described = Pick<Credential, 'credential_id' | 'transports'>

function descriptor({ credential_id, transports }: Described) {
  return { type: 'public-key' as const, id: credential_id.toString('base64url'), transports }
}
