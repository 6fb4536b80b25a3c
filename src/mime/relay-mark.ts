import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { DerivedKeys, type Keyring } from '#/secrets/keyring.ts'
import type { Headers } from './headers.ts'

/** The keys that marks are made with. */
export interface RelayMarkKey {
  readonly keys: DerivedKeys
}

/** Marks that were made under a secret that was in force before are read as well. */
export function relayMarkKey(keyring: Keyring): RelayMarkKey {
  return { keys: new DerivedKeys(keyring, 'mailroom relay mark') }
}

const name = 'Mailroom-Relayed'

/** More than one is never ours. */
const mostLookedAt = 5

/**
 * A field for a message that is forwarded: by which digest it was known where it first arrived. However it comes in again,
 * through whichever mailboxes, it is known by that, and a mailbox that has it does not take it twice. Nobody else can
 * make one, so no stranger's header field can have mail passed over.
 */
export function relayMarkField(key: RelayMarkKey, digest: Buffer): string {
  return `${name}: ${digest.toString('hex')}\r\n\t${tagOf(key.keys.inForce, digest).toString('hex')}\r\n`
}

/** The digest by which the message was first known; undefined where it bears no mark of ours. */
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
