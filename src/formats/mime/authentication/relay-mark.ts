import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { DerivedKeys, type Keyring } from '#/base/secrets/keyring.ts'
import type { Headers } from '../header/headers.ts'

/** The keys of marks. */
export interface RelayMarkKey {
  readonly keys: DerivedKeys
}

/** Marks under retired secrets are valid too. */
export function relayMarkKey(keyring: Keyring): RelayMarkKey {
  return { keys: new DerivedKeys(keyring, 'mailroom relay mark') }
}

const name = 'Mailroom-Relayed'

/** We never add more than one. */
const mostLookedAt = 5

/**
 * A field for a forwarded message with the digest from its first arrival. If the message comes back, through any mailboxes, that
 * digest identifies it, and a mailbox does not store it twice. Nobody can forge the field, so strangers cannot suppress mail.
 */
export function relayMarkField(key: RelayMarkKey, digest: Buffer): string {
  return `${name}: ${digest.toString('hex')}\r\n\t${tagOf(key.keys.inForce, digest).toString('hex')}\r\n`
}

/** The digest from the first arrival; undefined without a valid mark. */
export function relayMark(key: RelayMarkKey, headers: Headers): Buffer | undefined {
  if (headers.count(name.toLowerCase()) > mostLookedAt) return undefined
  for (const value of headers.all(name.toLowerCase())) {
    const [, said = '', tag = ''] = /^([0-9a-f]{64})\s+([0-9a-f]{64})$/.exec(value) ?? []
    const digest = Buffer.from(said, 'hex')
    const given = Buffer.from(tag, 'hex')
    if (said && key.keys.all.some((one) => timingSafeEqual(tagOf(one, digest), given))) return digest
  }
  return undefined
}

function tagOf(key: KeyObject, digest: Buffer): Buffer {
  return createHmac('sha256', key).update(digest).digest()
}
