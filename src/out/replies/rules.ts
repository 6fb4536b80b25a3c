import { type Address, canonicalAddress } from '#/formats/mime/address/address.ts'

/** The addressing of answers. Pure functions: rules.test.ts has examples. */

export const modes = ['reply', 'reply_all', 'forward'] as const
export type Mode = (typeof modes)[number]

/** The original message. */
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

/** The recipients of an answer (RFC 5322, section 3.6.3): Reply-To, else the authors; an answer to all includes To and Cc.
 *  An answer to one's own message goes to its recipients. Leaves out one's own addresses, unless there are no others, and
 *  those in `without`. Each address occurs once. */
export function recipients(
  { from, replyTo, to, cc }: Answered,
  isOwn: (address: string) => boolean,
  { all, without = [] }: { readonly all: boolean; readonly without?: readonly string[] },
): { readonly to: Address[]; readonly cc: Address[] } {
  const named = replyTo.filter(({ address }) => address !== '')
  const authors = named.length > 0 ? named : from.filter(({ address }) => address !== '')
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

/** The mailbox's address that received the message, from which an answer is sent. Undefined if the message names none. */
export function addressedAs({ to, cc }: Answered, own: readonly string[]): string | undefined {
  const named = [...to, ...cc].map(({ address }) => canonicalAddress(address))
  return named.find((address) => address !== undefined && own.includes(address))
}

/** The most ids in References. */
const mostReferences = 100

/** In-Reply-To and References of an answer (RFC 5322, section 3.6.4). In a long conversation the first id and the last ones
 *  are kept. */
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
