import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { DerivedKeys, type Keyring } from '#/base/secrets/keyring.ts'
import { canonicalDomain, splitAddress } from '#/formats/mime/address/address.ts'

/** The envelope sender of a forwarded message: SPF passes for it, and bounces come back to us. */
export interface Rewritten {
  readonly sender: string
  /** To be stored in a table, if the address did not fit. */
  readonly kept: Kept | undefined
}

export interface Kept {
  readonly id: string
  readonly address: string
  readonly mailboxId: string
}

/** The rewritten sender has this domain, and is valid for this mailbox alone. */
export interface Forwarder {
  readonly mailboxId: string
  readonly domain: string
}

/** The original of a rewritten sender: an address, or the id of a stored one. */
export type Origin =
  | {
      readonly address: string
      /** The beginning of the mailbox's id. */
      readonly mailbox: string
    }
  | { readonly id: string }

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567'
const day = 86_400_000

/** How long a rewritten sender accepts bounces, in milliseconds. */
export const bounceLifetime = 21 * day

/** The longest local part in octets (RFC 5321, section 4.5.3.1.1). */
const longestLocal = 64

/** The Sender Rewriting Scheme (SRS0 and SRS1, https://www.libsrs2.net/srs/srs.pdf). The hash is eight hex digits of
 *  HMAC-SHA-256 over the whole address and its domain, in SRS1 also over the day. The first eight digits of the forwarding
 *  mailbox's id follow it. Servers may change the case of a local part, so case is ignored. An address that does not fit
 *  into 64 octets, or is not plain ASCII, is stored in a table under an id. */
export class Srs {
  readonly #keys: DerivedKeys

  /** Reads senders that were rewritten under earlier secrets too. */
  constructor(keyring: Keyring) {
    this.#keys = new DerivedKeys(keyring, 'mailroom srs')
  }

  /** The null sender stays null. A sender that was rewritten here is first restored. One that was rewritten elsewhere
   *  becomes SRS1, so that the address does not grow with each hop. */
  rewrite(sender: string, by: Forwarder, now: Date): Rewritten {
    const given = splitAddress(sender)
    const known = given && this.read(given.local, given.domain, now)
    const origin = known && 'address' in known ? known.address : sender
    const parts = splitAddress(origin)
    if (!parts) return { sender: '', kept: undefined }
    const local = this.#foreign(parts, by, now) ?? this.#first(parts, by, now)
    const fits = /^[\w!#$%&'*+/=?^`{|}~.-]+$/.test(local) && local.length <= longestLocal
    if (fits) return { sender: `${local}@${by.domain}`, kept: undefined }
    const id = this.#tag(32, 'kept', placeOf(by), by.mailboxId, origin)
    return { sender: `srs=${id}@${by.domain}`, kept: { id, address: origin, mailboxId: by.mailboxId } }
  }

  /** The original of a local part at that domain; undefined if it is not ours, or has expired. */
  read(local: string, domain: string, now: Date): Origin | undefined {
    const id = /^srs=([0-9a-f]{32})$/i.exec(local)?.[1]
    if (id) return { id: id.toLowerCase() }
    return this.#readFirst(local, placeOf({ domain }), now) ?? this.#readForeign(local, placeOf({ domain }), now)
  }

  #first({ local, domain }: { local: string; domain: string }, by: Forwarder, now: Date): string {
    const box = boxOf(by)
    const tag = this.#tag(8, 'first', placeOf(by), box, String(dayOf(now)), domain, local)
    return `SRS0=${tag}${box}=${stampOf(now)}=${domain}=${local}`
  }

  #readFirst(local: string, place: string, now: Date): Origin | undefined {
    const [, tag = '', box = '', stamp = '', host = '', user = ''] =
      /^srs0[=+-]([0-9a-f]{8})([0-9a-f]{8})=([a-z2-7]{2})=([^=]+)=(.+)$/i.exec(local) ?? []
    const written = dayWritten(stamp, now)
    if (!tag || written === undefined) return undefined
    const holds = this.#holds(tag, 'first', place, box, String(written), host, user)
    return holds ? { address: `${user}@${host}`, mailbox: box.toLowerCase() } : undefined
  }

  /** For a sender that another forwarder has rewritten. */
  #foreign({ local, domain }: { local: string; domain: string }, by: Forwarder, now: Date): string | undefined {
    const [, first] = /^srs0([=+-].+)$/i.exec(local) ?? []
    const [, host = '', rest = ''] = first ? ['', domain, first] : (/^srs1[=+-][^=]+=([^=]+)=(.+)$/i.exec(local) ?? [])
    if (!host) return undefined
    const box = boxOf(by)
    const tag = this.#tag(8, 'foreign', placeOf(by), box, String(dayOf(now)), host, rest)
    return `SRS1=${tag}${box}${stampOf(now)}=${host}=${rest}`
  }

  #readForeign(local: string, place: string, now: Date): Origin | undefined {
    const [, tag = '', box = '', stamp = '', host = '', rest = ''] =
      /^srs1[=+-]([0-9a-f]{8})([0-9a-f]{8})([a-z2-7]{2})=([^=]+)=(.+)$/i.exec(local) ?? []
    const written = dayWritten(stamp, now)
    if (!tag || written === undefined) return undefined
    const holds = this.#holds(tag, 'foreign', place, box, String(written), host, rest)
    return holds ? { address: `SRS0${rest}@${host}`, mailbox: box.toLowerCase() } : undefined
  }

  #tag(digits: number, ...parts: string[]): string {
    return tagOf(this.#keys.inForce, parts).slice(0, digits)
  }

  #holds(tag: string, ...parts: string[]): boolean {
    const given = Buffer.from(tag.toLowerCase())
    return this.#keys.all.some((key) => timingSafeEqual(Buffer.from(tagOf(key, parts).slice(0, 8)), given))
  }
}

function tagOf(key: KeyObject, parts: readonly string[]): string {
  return createHmac('sha256', key).update(parts.join('\0').toLowerCase()).digest('hex')
}

function placeOf({ domain }: { domain: string }): string {
  return canonicalDomain(domain) ?? domain
}

function boxOf({ mailboxId }: Forwarder): string {
  return mailboxId.slice(0, 8)
}

/** Days since 1970. */
function dayOf(at: Date): number {
  return Math.floor(at.getTime() / day)
}

/** The lowest ten bits of the day, in two letters. */
function stampOf(at: Date): string {
  const number = dayOf(at) % 1024
  return `${alphabet[number >> 5]}${alphabet[number & 31]}`
}

/** The last day with that stamp; undefined if it has expired, or the stamp is invalid. */
function dayWritten(stamp: string, now: Date): number | undefined {
  const [high = '', low = ''] = stamp.toLowerCase()
  const number = (alphabet.indexOf(high) << 5) | alphabet.indexOf(low)
  const age = (dayOf(now) - number + 1024) % 1024
  return stamp.length === 2 && age * day <= bounceLifetime ? dayOf(now) - age : undefined
}
