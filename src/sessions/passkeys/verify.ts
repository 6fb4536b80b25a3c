// @simplewebauthn/server is loaded when it is first needed: that takes half a second and 30 MB.

import type { RelyingParty } from './relying-party.ts'
import type { Assertion, Registration } from './schemas.ts'

/** EdDSA, ES256, RS256 (RFC 9053, RFC 8812), in the order of preference. */
export const algorithms = [-8, -7, -257]

/** For whom and for which challenge an authenticator has to have signed. */
interface Expected {
  readonly relyingParty: RelyingParty
  readonly challenge: string
}

/**
 * The challenge that was signed, if the text is what a browser says of a page of its own. What else it says is verified later.
 */
export function challengeIn(clientDataJSON: string): string | undefined {
  try {
    const { challenge, crossOrigin } = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString())
    return typeof challenge === 'string' && crossOrigin !== true ? challenge : undefined
  } catch {
    return undefined
  }
}

/** The new credential, if it is for this challenge and its authenticator has verified its user. */
export async function verifiedRegistration({ id, response }: Registration, { relyingParty, challenge }: Expected) {
  const { clientDataJSON, attestationObject } = response
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  if (!(await isPlain(attestationObject))) return undefined
  const { registrationInfo } = await verifyRegistrationResponse({
    response: { ...asIs(id), response: { clientDataJSON, attestationObject } },
    expectedChallenge: challenge,
    expectedOrigin: relyingParty.origin,
    expectedRPID: relyingParty.id,
    requireUserVerification: true,
    supportedAlgorithmIDs: algorithms,
  }).catch(() => ({ registrationInfo: undefined }))
  const credential = registrationInfo?.credential
  return (
    credential && {
      credential_id: Buffer.from(credential.id, 'base64url'),
      public_key: Buffer.from(credential.publicKey),
      counter: credential.counter,
    }
  )
}

/** The counter that was signed, if the key has signed this challenge, after its authenticator has verified its user. */
export async function verifiedCounter(
  { id, response }: Assertion,
  publicKey: Buffer,
  { relyingParty, challenge }: Expected,
): Promise<number | undefined> {
  const { clientDataJSON, authenticatorData, signature } = response
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  const found = await verifyAuthenticationResponse({
    response: { ...asIs(id), response: { clientDataJSON, authenticatorData, signature } },
    expectedChallenge: challenge,
    expectedOrigin: relyingParty.origin,
    expectedRPID: relyingParty.id,
    // The database compares the counters (`usePasskey`): two processes may have the same passkey before them.
    credential: { id, publicKey: new Uint8Array(publicKey), counter: 0 },
    requireUserVerification: true,
  }).catch(() => undefined)
  return found?.verified ? found.authenticationInfo.newCounter : undefined
}

/**
 * Whether an attestation has no certificates. None is asked for; and to verify one, the library would ask the hosts that the
 * certificate names whether it was revoked, which anybody may have made.
 */
async function isPlain(attestationObject: string): Promise<boolean> {
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers')
  try {
    const object = decodeAttestationObject(new Uint8Array(Buffer.from(attestationObject, 'base64url')))
    const format = object.get('fmt')
    // A signature with the new key itself is what some authenticators make in any case.
    return format === 'none' || (format === 'packed' && object.get('attStmt').get('x5c') === undefined)
  } catch {
    return false
  }
}

function asIs(id: string) {
  return { id, rawId: id, type: 'public-key', clientExtensionResults: {} } as const
}
