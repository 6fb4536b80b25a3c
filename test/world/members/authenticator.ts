import assert from 'node:assert/strict'
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { isoCBOR } from '@simplewebauthn/server/helpers'
import type { Answer } from '#test/world/sockets/http-client.ts'
import type { World } from '#test/world/world.ts'
import type { SignedInMember } from './signed-in.ts'

/** A service under this name has passkeys. */
export const passkeyOrigin = 'https://mail.example.com'

interface Made {
  readonly id: Buffer
  readonly key: KeyObject
  readonly rpId: string
  readonly userHandle: string
  counter: number
}

/** Deviations of the authenticator or browser from correct behaviour. */
export interface Deviation {
  readonly origin?: string
  readonly challenge?: string
  readonly type?: string
  readonly crossOrigin?: boolean
  readonly rpId?: string
  /** Of the authenticator's data: by default its user is present (1) and verified (4). */
  readonly flags?: number
  readonly counter?: number
  readonly id?: Buffer
  readonly userHandle?: string | undefined
  /** The attestation's format and statement. */
  readonly attestation?: readonly [string, Cbor]
}

/** An authenticator in software, with the browser before it: ES256 by node:crypto, attestation "none". */
export class Authenticator {
  readonly made: Made[] = []
  readonly #counts: boolean

  /** @param counts whether it counts its signatures, as those do whose passkeys never leave them */
  constructor({ counts = true } = {}) {
    this.#counts = counts
  }

  /** `navigator.credentials.create`, as JSON. */
  create(
    options: { challenge: string; rp: { id: string }; user: { id: string } },
    { id = randomBytes(20), attestation = ['none', new Map()], ...deviation }: Deviation = {},
  ) {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const passkey = { id, key: privateKey, rpId: options.rp.id, userHandle: options.user.id, counter: 0 }
    this.made.push(passkey)
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
    const cose = cbor(
      new Map<number, Cbor>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, octets(x)],
        [-3, octets(y)],
      ]),
    )
    const length = Buffer.alloc(2)
    length.writeUInt16BE(id.length)
    const credential = Buffer.concat([Buffer.alloc(16), length, id, cose])
    const authData = Buffer.concat([this.#data(passkey, { flags: 0x45, ...deviation }), credential])
    const [fmt, attStmt] = attestation
    const object = cbor(
      new Map<string, Cbor>([
        ['fmt', fmt],
        ['attStmt', attStmt],
        ['authData', authData],
      ]),
    )
    return {
      ...{ id: text(id), rawId: text(id), type: 'public-key', clientExtensionResults: {} },
      response: {
        clientDataJSON: text(clientData('webauthn.create', options.challenge, deviation)),
        attestationObject: text(object),
        transports: ['internal'],
      },
    }
  }

  /** `navigator.credentials.get`, as JSON: by its newest passkey, or that of the id. */
  get(options: { challenge: string }, { id, userHandle, ...deviation }: Deviation = {}) {
    const passkey = id ? this.made.find((one) => one.id.equals(id)) : this.made.at(-1)
    assert.ok(passkey)
    if (this.#counts) passkey.counter += 1
    const data = this.#data(passkey, { flags: 0x05, ...deviation })
    const client = clientData('webauthn.get', options.challenge, deviation)
    const signed = Buffer.concat([data, sha256(client)])
    return {
      ...{ id: text(passkey.id), rawId: text(passkey.id), type: 'public-key', clientExtensionResults: {} },
      response: {
        ...{ clientDataJSON: text(client), authenticatorData: text(data) },
        signature: text(sign('sha256', signed, passkey.key)),
        userHandle: userHandle ?? passkey.userHandle,
      },
    }
  }

  #data({ rpId, counter }: Made, { flags = 0, ...deviation }: Deviation): Buffer {
    const tail = Buffer.alloc(5)
    tail.writeUInt8(flags)
    tail.writeUInt32BE(deviation.counter ?? counter, 1)
    return Buffer.concat([sha256(Buffer.from(deviation.rpId ?? rpId)), tail])
  }
}

/** Adds a passkey in a session, as the profile does. */
export async function addPasskey(
  session: SignedInMember,
  authenticator: Authenticator,
  { name = 'Laptop', ...deviation }: Deviation & { name?: string } = {},
): Promise<Answer> {
  const begun = await session.request('POST', '/v1/me/passkeys/challenge')
  assert.equal(begun.status, 200, begun.bytes.toString())
  const credential = authenticator.create(begun.body.options, deviation)
  return await session.request('POST', '/v1/me/passkeys', { name, credential })
}

/** Signs in by a passkey, as the page does. */
export async function tryPasskey(
  { client }: Pick<World, 'client'>,
  authenticator: Authenticator,
  deviation: Deviation = {},
): Promise<Answer> {
  const begun = await client.request('POST', '/v1/session/challenge')
  assert.equal(begun.status, 200, begun.bytes.toString())
  const passkey = authenticator.get(begun.body.options, deviation)
  return await client.request('POST', '/v1/session', { body: { passkey } })
}

function clientData(
  type: string,
  challenge: string,
  { origin = passkeyOrigin, crossOrigin = false, ...other }: Deviation,
) {
  const data = { type: other.type ?? type, challenge: other.challenge ?? challenge, origin, crossOrigin }
  return Buffer.from(JSON.stringify(data))
}

type Cbor = Parameters<typeof isoCBOR.encode>[0]

export const cbor = (value: Cbor) => Buffer.from(isoCBOR.encode(value))
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest()
const text = (bytes: Buffer) => bytes.toString('base64url')
const octets = (base64url: string) => Buffer.from(base64url, 'base64url')
