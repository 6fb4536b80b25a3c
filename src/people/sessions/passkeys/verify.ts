// @simplewebauthn/server is loaded on first use: that takes half a second and 30 MB.

import type { RelyingParty } from './relying-party.ts'
import type { Assertion, Registration } from './schemas.ts'

/** EdDSA, ES256, RS256 (RFC 9053, RFC 8812), in the order of preference. */
export const algorithms = [-8, -7, -257]

/** The relying party and challenge that an authenticator must have signed. */
interface Expected {
  readonly relyingParty: RelyingParty
  readonly challenge: string
}

/** The signed challenge, if the text is a browser's client data for our own page. The rest is verified later. */
export function challengeIn(clientDataJSON: string): string | undefined {
  try {
    const { challenge, crossOrigin } = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString())
    return typeof challenge === 'string' && crossOrigin !== true ? challenge : undefined
  } catch {
    return undefined
  }
}

/** The new credential, if it is for this challenge and the authenticator has verified its user. */
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

/** The signed counter, if the key has signed this challenge and the authenticator has verified its user. */
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
    // The database compares the counters (`usePasskey`): two processes may verify the same passkey at once.
    credential: { id, publicKey: new Uint8Array(publicKey), counter: 0 },
    requireUserVerification: true,
  }).catch(() => undefined)
  return found?.verified ? found.authenticationInfo.newCounter : undefined
}

/** Whether an attestation has no certificates. None is requested. To verify one, the library would contact the hosts in the
 *  certificate about revocation, which anybody may have issued. */
async function isPlain(attestationObject: string): Promise<boolean> {
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers')
  try {
    const object = decodeAttestationObject(new Uint8Array(Buffer.from(attestationObject, 'base64url')))
    const format = object.get('fmt')
    // Some authenticators always attest with the new key itself.
    return format === 'none' || (format === 'packed' && object.get('attStmt').get('x5c') === undefined)
  } catch {
    return false
  }
}

function asIs(id: string) {
  return { id, rawId: id, type: 'public-key', clientExtensionResults: {} } as const
}
