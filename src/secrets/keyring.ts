import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'

/** What the database knows a secret by. Nobody finds the secret by it. */
export function fingerprintOf(secret: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', 'mailroom secret fingerprint', 16))
}

/** What the key for the hashes of message ids is made of, by the first secret of an installation. */
export function idHashOctets(secret: string | Uint8Array): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', 'mailroom message-id hash', 16))
}

/** One secret of the installation. */
export interface Secret {
  readonly text: string
  readonly fingerprint: Buffer
}

/** How many octets of its fingerprint what was made under a secret bears. */
export const markLength = 8

/**
 * The secrets of this installation, as far as a process knows them: one is in force, under which everything new is made,
 * and what was made under the others opens as well. Which one is in force may change while the process runs
 * (docs/configuration.md).
 */
export class Keyring {
  #known: readonly Secret[]
  #idHashOctets: Buffer | undefined

  /** @param inForce the secret in force @param others those that open only */
  constructor(inForce: string, others: readonly string[] = []) {
    this.#known = [inForce, ...others].map(secretOf)
  }

  get inForce(): Secret {
    const [first] = this.#known
    if (!first) throw new Error('A keyring has a secret in force')
    return first
  }

  /** The one in force first. */
  get known(): readonly Secret[] {
    return this.#known
  }

  knows(fingerprint: Buffer): boolean {
    return this.#known.some((one) => one.fingerprint.equals(fingerprint))
  }

  /** The others that it knew it knows still. */
  learn(secrets: readonly string[]): void {
    const added = secrets.map(secretOf).filter(({ fingerprint }) => !this.knows(fingerprint))
    if (added.length > 0) this.#known = [...this.#known, ...added]
  }

  /** Makes everything new under this one from now on. It is known. */
  use(fingerprint: Buffer): void {
    const isIt = (one: Secret) => one.fingerprint.equals(fingerprint)
    this.#known = [...this.#known.filter(isIt), ...this.#known.filter((one) => !isIt(one))]
  }

  /** Under what message ids are hashed. It stays whatever secret is in force: ids of conversations are made of it. */
  get idHashOctets(): Buffer {
    this.#idHashOctets ??= idHashOctets(this.inForce.text)
    return this.#idHashOctets
  }

  set idHashOctets(octets: Buffer) {
    this.#idHashOctets = octets
  }
}

/** The key that each secret gives for one purpose. As a `KeyObject`: Node takes 20 µs to make one of octets, for every
 *  cipher and HMAC. */
export class DerivedKeys {
  readonly #keyring: Keyring
  readonly #info: string
  readonly #derived = new WeakMap<Secret, KeyObject>()

  constructor(keyring: Keyring, info: string) {
    this.#keyring = keyring
    this.#info = info
  }

  get inForce(): KeyObject {
    return this.of(this.#keyring.inForce)
  }

  /** The one in force first. */
  get all(): readonly KeyObject[] {
    return this.#keyring.known.map((secret) => this.of(secret))
  }

  get secrets(): Pick<Keyring, 'inForce' | 'known'> {
    return this.#keyring
  }

  of(secret: Secret): KeyObject {
    const before = this.#derived.get(secret)
    if (before) return before
    const key = createSecretKey(Buffer.from(hkdfSync('sha256', secret.text, '', this.#info, 32)))
    this.#derived.set(secret, key)
    return key
  }
}

function secretOf(text: string): Secret {
  return { text, fingerprint: fingerprintOf(text) }
}
