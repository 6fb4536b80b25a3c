import { Rejection } from '#/inbound/reply.ts'
import { canonicalAddress, isAddress } from '#/mime/address.ts'
import { parseAddresses } from '#/mime/address-list.ts'
import type { Message } from '#/mime/message.ts'

/** More of them are never one person's own. */
const mostAuthors = 50

/** Whom a message names as its author and its sender (RFC 5322, section 3.6.2), in canonical form, authors first. Throws
 *  `Rejection` where that is not clear: there is one From, Sender at most once, and nothing in them but addresses. */
export function namedSenders({ headers }: Message): { readonly authors: string[]; readonly all: string[] } {
  if (!headers.complete) throw new Rejection(554, '5.6.0', 'The header is too long')
  if (headers.count('from') !== 1) throw new Rejection(554, '5.6.0', 'A message has one From')
  if (headers.count('sender') > 1) throw new Rejection(554, '5.6.0', 'A message has one Sender at most')
  const authors = addressesOf('From', headers.all('from'))
  const senders = headers.count('sender') === 0 ? [] : addressesOf('Sender', headers.all('sender'))
  return { authors, all: [...new Set([...authors, ...senders])] }
}

function addressesOf(field: string, values: readonly string[]): string[] {
  const addresses = values.flatMap(parseAddresses).map(({ address }) => address)
  const canonical = addresses.flatMap((one) => (isAddress(one) ? (canonicalAddress(one) ?? []) : []))
  if (addresses.length === 0 || canonical.length < addresses.length || addresses.length > mostAuthors)
    throw new Rejection(554, '5.6.0', `${field} must hold addresses, and nothing else`)
  return [...new Set(canonical)]
}

/** Whether a message says that another was read (RFC 8098): such a one comes from nobody, lest it be answered. */
export function isReceipt({ headers }: Message): boolean {
  return /^multipart\/report\b.*;\s*report-type="?disposition-notification"?/is.test(
    headers.first('content-type') ?? '',
  )
}
