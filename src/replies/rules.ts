import { type Address, canonicalAddress, splitAddress, stripTag } from '#/mime/address/address.ts'

/** How an answer is addressed. Data in, data out: the examples are in rules.test.ts. */

export const modes = ['reply', 'reply_all', 'forward'] as const
export type Mode = (typeof modes)[number]

/** What is answered or forwarded. */
export interface Answered {
  /** `<…>`, or null. */
  readonly messageId: string | null
  readonly references: readonly string[]
  readonly inReplyTo: readonly string[]
  readonly subject: string
  readonly from: readonly Address[]
  readonly replyTo: readonly Address[]
  readonly to: readonly Address[]
  readonly cc: readonly Address[]
}

/** Whether an address is one of the mailbox that answers, with a tag or without. */
export function ownAddresses(addresses: readonly string[]): (address: string) => boolean {
  const own = new Set(addresses)
  return (address) => own.has(untagged(address))
}

function untagged(address: string): string {
  const { local, domain } = splitAddress(canonicalAddress(address) ?? address) ?? { local: address, domain: '' }
  return `${stripTag(local)}@${domain}`
}

/**
 * Whom an answer goes to (RFC 5322, section 3.6.3): those in Reply-To, else the authors; to all, also those in To and Cc. A message
 * of one's own is answered to whom it went to. One's own addresses are left out, unless nobody else is there, and so are those in
 * `without`. Each address comes once.
 */
export function recipients(
  { from, replyTo, to, cc }: Answered,
  isOwn: (address: string) => boolean,
  { all, without = [] }: { readonly all: boolean; readonly without?: readonly string[] },
): { readonly to: Address[]; readonly cc: Address[] } {
  const named = replyTo.filter(({ address }) => address !== '')
  const authors = named.length > 0 ? named : from
  const byOneself = authors.length > 0 && authors.every(({ address }) => isOwn(address))
  const first = byOneself && to.length > 0 ? to : authors
  const taken = new Set(without.map(comparable))
  const others = (addresses: readonly Address[]) => once(addresses, taken, isOwn)
  const answer = { to: others(all && !byOneself ? [...first, ...to] : first), cc: all ? others(cc) : [] }
  if (answer.to.length > 0) return answer
  if (answer.cc.length > 0) return { to: answer.cc, cc: [] }
  return { to: once(first, taken, () => false), cc: [] }
}

function once(addresses: readonly Address[], taken: Set<string>, isOwn: (address: string) => boolean): Address[] {
  return addresses.filter(({ address }) => {
    if (address === '' || isOwn(address) || taken.has(comparable(address))) return false
    taken.add(comparable(address))
    return true
  })
}

function comparable(address: string): string {
  return canonicalAddress(address) ?? address.toLowerCase()
}

/** The address of the mailbox that the message came to: an answer is sent from there. Undefined if it names none. */
export function addressedAs({ to, cc }: Answered, own: readonly string[]): string | undefined {
  const named = [...to, ...cc].map(({ address }) => canonicalAddress(address))
  return named.find((address) => address !== undefined && own.includes(address))
}

/** So many ids a message can be sent with. */
const mostReferences = 100

/** In-Reply-To and References of an answer (RFC 5322, section 3.6.4). Of a long conversation the first id stays, and the last ones. */
export function threadOf({ messageId, references, inReplyTo }: Answered): {
  readonly inReplyTo: string[]
  readonly references: string[]
} {
  if (messageId === null) return { inReplyTo: [], references: [] }
  const before = references.length > 0 ? references : inReplyTo.length === 1 ? inReplyTo : []
  const older = [...new Set(before)].filter((id) => id !== messageId)
  const kept = older.length < mostReferences ? older : [...older.slice(0, 1), ...older.slice(2 - mostReferences)]
  return { inReplyTo: [messageId], references: [...kept, messageId] }
}
