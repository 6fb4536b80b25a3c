import { oneLine } from '../charset.ts'
import { type Address, parseMailbox } from './address.ts'

/** An address while it is typed. An incomplete address is a name without an address. */
export function typedAddress(text: string): Address {
  return parseMailbox(text) ?? { name: text.trim(), address: '' }
}

/** As one types it: what `typedAddress` reads as the same address. */
export function addressText({ name, address }: Address): string {
  if (address === '') return name
  if (name === '') return address
  const plain = /^[^<>",;:@\\()[\]]+$/.test(name)
  return `${plain ? name : `"${oneLine(name).replace(/["\\]/g, '\\$&')}"`} <${address}>`
}
