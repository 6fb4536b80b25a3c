import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import { splitAddress } from '#/mime/address.ts'

/** The sender that a forwarded message bears, so that SPF holds and what cannot be delivered comes back to us. */
export interface Rewritten {
  readonly sender: string
  /** To be kept in a table, since the address did not fit. */
  readonly kept: Kept | undefined
}

export interface Kept {
  readonly id: string
  readonly address: string
}

/** Whom a rewritten sender stands for: an address, or the id of one that was kept. */
export type Origin = { readonly address: string } | { readonly id: string }

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567'
const day = 86_400_000

/** For so long bounces come back, in milliseconds. */
export const returnsFor = 21 * day

/** A local part may have as many octets (RFC 5321, section 4.5.3.1.1). */
const longestLocal = 64

/**
 * The Sender Rewriting Scheme (SRS0 and SRS1, https://www.libsrs2.net/srs/srs.pdf), with eight hex digits of
 * HMAC-SHA-256 for the hash. Servers on the way may change the case of a local part, so case never counts. An address
 * that does not fit into 64 octets, or is more than plain ASCII, is kept in a table under an id of its own.
 */
export class Srs {
  readonly #key: Buffer

  constructor(installationSecret: string) {
    this.#key = Buffer.from(hkdfSync('sha256', installationSecret, '', 'mailroom srs', 32))
  }

  /** The null sender stays null. A sender that was rewritten here is taken back first, one that was rewritten elsewhere
   *  becomes SRS1, so that the address does not grow with each hop. */
  rewrite(sender: string, domain: string, now: Date): Rewritten {
    const known = sender === '' ? undefined : this.read(splitAddress(sender)?.local ?? '', now)
    if (known && 'id' in known) return { sender: `srs=${known.id}@${domain}`, kept: undefined }
    const origin = known?.address ?? sender
    const parts = splitAddress(origin)
    if (!parts) return { sender: '', kept: undefined }
    const local = this.#foreign(parts) ?? this.#first(parts, now)
    const fits = /^[\w!#$%&'*+/=?^`{|}~.-]+$/.test(local) && local.length <= longestLocal
    if (fits) return { sender: `${local}@${domain}`, kept: undefined }
    const id = this.#tag(32, 'kept', origin)
    return { sender: `srs=${id}@${domain}`, kept: { id, address: origin } }
  }

  /** Whom the local part stands for; undefined where we have not written it, or too long ago. */
  read(local: string, now: Date): Origin | undefined {
    const id = /^srs=([0-9a-f]{32})$/i.exec(local)?.[1]
    if (id) return { id: id.toLowerCase() }
    const [, tag = '', host = '', rest = ''] = /^srs1[=+-]([0-9a-f]{8})=([^=]+)=(.+)$/i.exec(local) ?? []
    if (tag) return this.#holds(tag, 'srs1', host, rest) ? { address: `SRS0${rest}@${host}` } : undefined
    return this.#readFirst(local, now)
  }

  #first({ local, domain }: { local: string; domain: string }, now: Date): string {
    const stamp = stampOf(now)
    return `SRS0=${this.#tag(8, 'srs0', stamp, domain, local)}=${stamp}=${domain}=${local}`
  }

  #readFirst(local: string, now: Date): Origin | undefined {
    const [, tag = '', stamp = '', host = '', user = ''] =
      /^srs0[=+-]([0-9a-f]{8})=([a-z2-7]{2})=([^=]+)=(.+)$/i.exec(local) ?? []
    if (!tag || !this.#holds(tag, 'srs0', stamp, host, user)) return undefined
    const age = (dayOf(now) - dayIn(stamp) + 1024) % 1024
    return age * day <= returnsFor ? { address: `${user}@${host}` } : undefined
  }

  /** Of a sender that another forwarder has rewritten. */
  #foreign({ local, domain }: { local: string; domain: string }): string | undefined {
    const [, first] = /^srs0([=+-].+)$/i.exec(local) ?? []
    if (first) return `SRS1=${this.#tag(8, 'srs1', domain, first)}=${domain}=${first}`
    const [, host = '', rest = ''] = /^srs1[=+-][^=]+=([^=]+)=(.+)$/i.exec(local) ?? []
    return host ? `SRS1=${this.#tag(8, 'srs1', host, rest)}=${host}=${rest}` : undefined
  }

  #tag(digits: number, ...parts: string[]): string {
    return createHmac('sha256', this.#key).update(parts.join('\0').toLowerCase()).digest('hex').slice(0, digits)
  }

  #holds(tag: string, ...parts: string[]): boolean {
    return timingSafeEqual(Buffer.from(this.#tag(8, ...parts)), Buffer.from(tag.toLowerCase()))
  }
}

/** Whether it looks like a sender that was rewritten, here or elsewhere. */
export function isRewritten(local: string): boolean {
  return /^(?:srs[01][=+-]|srs=)/i.test(local)
}

/** Days since 1970, of which the lowest ten bits fit into two letters. */
function dayOf(at: Date): number {
  return Math.floor(at.getTime() / day) % 1024
}

function stampOf(at: Date): string {
  const number = dayOf(at)
  return `${alphabet[number >> 5]}${alphabet[number & 31]}`
}

function dayIn(stamp: string): number {
  const [high = '', low = ''] = stamp.toLowerCase()
  return (alphabet.indexOf(high) << 5) | alphabet.indexOf(low)
}
