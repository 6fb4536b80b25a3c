import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { DerivedKeys, type Keyring } from '#/base/secrets/keyring.ts'
import { canonicalAddress, splitAddress } from '#/formats/mime/address/address.ts'

/** The message that a bounce address identifies. */
interface Leaving {
  readonly id: string
  readonly organizationId: string
  readonly sender: string
}

/** A range of message ids with a common beginning. In practice it has one message. */
export interface IdRange {
  readonly organizationId: string
  readonly from: string
  readonly to: string
}

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567'
const octets = 8
/** Letters of eight octets in base 32. */
const letters = 13
/** The longest local part in octets (RFC 5321, section 4.5.3.1.1). */
const longestLocal = 64

/** The envelope sender of sent mail: the sender's address with a tag, `ada+r…@here.example`. The tag identifies the message
 *  and proves that the address was made here. Mail to it reaches the mailbox, as with any tag. The tag consists of `r`, the
 *  first eight octets of the message's id, and as many of HMAC-SHA-256 over id, organization and address, in base 32. Case
 *  is ignored. */
export class BounceAddresses {
  readonly #keys: DerivedKeys

  /** Reads addresses made under earlier secrets too. */
  constructor(keyring: Keyring) {
    this.#keys = new DerivedKeys(keyring, 'mailroom bounce address')
  }

  /** The sender's own address if it has no room for a tag, or is not plain ASCII. */
  of({ id, organizationId, sender }: Leaving): string {
    const { local = '', domain } = splitAddress(sender) ?? {}
    const fits = /^[\w!#$%&'*+/=?^`{|}~.-]+$/.test(local) && local.length + 2 + 2 * letters <= longestLocal
    if (!fits) return sender
    const start = Buffer.from(id.replaceAll('-', '').slice(0, 2 * octets), 'hex')
    const tag = tagOf(this.#keys.inForce, start, organizationId, sender)
    return `${local}+r${encoded(start)}${encoded(tag)}@${domain}`
  }

  /** The message of the organization for which a bounce address was made; undefined if it was not made here. */
  read(organizationId: string, address: string): IdRange | undefined {
    const { local = '', domain } = splitAddress(address) ?? {}
    const [, name = '', id = '', tag = ''] = form.exec(local) ?? []
    const [start, given] = [decoded(id), decoded(tag)]
    if (!start || !given) return undefined
    const sender = `${name}@${domain}`
    const holds = this.#keys.all.some((key) => timingSafeEqual(tagOf(key, start, organizationId, sender), given))
    const digits = start.toString('hex')
    return holds ? { organizationId, from: uuid(digits, '0'), to: uuid(digits, 'f') } : undefined
  }
}

/** Mail that a mailbox sends has a bounce address. Forwarded mail and automatic answers have other envelope senders.
 *  Recipients of a Private mailbox are not stored, so a report on its mail could not be assigned. */
export function envelopeSenderOf(
  addresses: BounceAddresses,
  message: Leaving & { readonly kind: string; readonly concealed: boolean },
): string {
  const isSent = message.kind === 'sent' || message.kind === 'scheduled'
  return isSent && !message.concealed ? addresses.of(message) : message.sender
}

const form = new RegExp(`^(.+)\\+r([a-z2-7]{${letters}})([a-z2-7]{${letters}})$`, 'i')

function tagOf(key: KeyObject, start: Buffer, organizationId: string, sender: string): Buffer {
  const parts = [start.toString('hex'), organizationId, canonicalAddress(sender) ?? sender.toLowerCase()]
  return createHmac('sha256', key).update(parts.join('\0')).digest().subarray(0, octets)
}

function uuid(digits: string, rest: string): string {
  return digits.padEnd(32, rest).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

function encoded(bytes: Buffer): string {
  let number = bytes.readBigUInt64BE()
  let text = ''
  for (let at = 0; at < letters; at++) {
    text = `${alphabet[Number(number & 31n)]}${text}`
    number >>= 5n
  }
  return text
}

/** Undefined unless it has eight octets. */
function decoded(text: string): Buffer | undefined {
  if (text.length !== letters) return undefined
  let number = 0n
  for (const letter of text.toLowerCase()) number = (number << 5n) | BigInt(alphabet.indexOf(letter))
  if (number >= 1n << 64n) return undefined
  const bytes = Buffer.alloc(octets)
  bytes.writeBigUInt64BE(number)
  return bytes
}
