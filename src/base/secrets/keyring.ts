import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'

/** Identifies a secret in the database. It does not reveal the secret. */
export function fingerprintOf(secret: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', 'mailroom secret fingerprint', 16))
}

/** The key for hashes of message ids, derived from the first secret of an installation. */
export function idHashOctets(secret: string | Uint8Array): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', 'mailroom message-id hash', 16))
}

/** One secret of the installation. */
export interface Secret {
  readonly text: string
  readonly fingerprint: Buffer
}

/** Sealed values begin with so many octets of their secret's fingerprint. */
export const markLength = 8

/**
 * The secrets of this installation that a process knows. New values are sealed under the one in force, and the others still
 * open old values. The secret in force may change while the process runs (docs/configuration.md).
 */
export class Keyring {
  #known: readonly Secret[]
  #idHashOctets: Buffer | undefined

  /** @param others secrets that only open */
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

  /** Adds secrets. Known ones stay. */
  learn(secrets: readonly string[]): void {
    const added = secrets.map(secretOf).filter(({ fingerprint }) => !this.knows(fingerprint))
    if (added.length > 0) this.#known = [...this.#known, ...added]
  }

  /** Puts a known secret in force. */
  use(fingerprint: Buffer): void {
    const isIt = (one: Secret) => one.fingerprint.equals(fingerprint)
    this.#known = [...this.#known.filter(isIt), ...this.#known.filter((one) => !isIt(one))]
  }

  /** The key for hashes of message ids. A new secret does not change it, since ids of conversations contain these hashes. */
  get idHashOctets(): Buffer {
    this.#idHashOctets ??= idHashOctets(this.inForce.text)
    return this.#idHashOctets
  }

  set idHashOctets(octets: Buffer) {
    this.#idHashOctets = octets
  }
}

/** The keys for one purpose, one derived from each secret. As a `KeyObject`: Node takes 20 µs to make one of octets, for
 *  every cipher and HMAC. */
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
