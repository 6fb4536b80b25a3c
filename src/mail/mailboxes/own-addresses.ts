import { canonicalAddress, splitAddress, stripTag } from '#/formats/mime/address/address.ts'

/** The addresses that a mailbox may send as: its own and its aliases, each with any tag. */
export interface OwnAddresses {
  /** The same for mailboxes with the same addresses alone. */
  readonly named: string
  readonly include: (address: string) => boolean
}

/** `addresses` are in canonical form, without tags. */
export function ownAddresses(addresses: readonly string[]): OwnAddresses {
  const own = new Set(addresses)
  return { named: addresses.toSorted().join(' '), include: (address) => own.has(untagged(address)) }
}

function untagged(address: string): string {
  const { local, domain } = splitAddress(canonicalAddress(address) ?? address) ?? { local: address, domain: '' }
  return `${stripTag(local)}@${domain}`
}
