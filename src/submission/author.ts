import { Rejection } from '#/inbound/reply.ts'
import { canonicalAddress, isAddress } from '#/mime/address.ts'
import { parseAddresses } from '#/mime/address-list.ts'
import { readAuthors } from '#/mime/authors.ts'
import type { Headers } from '#/mime/headers.ts'
import type { Message } from '#/mime/message.ts'

/** More of them are never one person's own. */
const mostAuthors = 50

/** Whom a message names as its author and its sender (RFC 5322, section 3.6.2), in canonical form, authors first: everyone whom
 *  some mail program may show as one. Throws `Rejection` where that is not clear: there is one From, Sender at most once, and
 *  nothing in them but addresses. */
export function namedSenders({ headers }: Message): { readonly authors: string[]; readonly all: string[] } {
  if (!headers.complete) throw new Rejection(554, '5.6.0', 'Message header too large')
  if (headers.count('from') !== 1) throw new Rejection(554, '5.6.0', 'The message must have exactly one From')
  if (headers.count('sender') > 1) throw new Rejection(554, '5.6.0', 'The message has more than one Sender')
  const shown = readAuthors(headers)
  if (!shown.complete) throw new Rejection(554, '5.6.0', 'The message has too many authors')
  const authors = addressesOf('From', [...addressesIn(headers, 'from'), ...shown.addresses])
  const senders = headers.count('sender') === 0 ? [] : addressesOf('Sender', addressesIn(headers, 'sender'))
  return { authors, all: [...new Set([...authors, ...senders])] }
}

function addressesIn(headers: Headers, name: string): string[] {
  return headers
    .all(name)
    .flatMap(parseAddresses)
    .map(({ address }) => address)
}

function addressesOf(field: string, addresses: readonly string[]): string[] {
  const canonical = addresses.flatMap((one) => (isAddress(one) ? (canonicalAddress(one) ?? []) : []))
  if (addresses.length === 0 || canonical.length < addresses.length || new Set(canonical).size > mostAuthors)
    throw new Rejection(554, '5.6.0', `${field} must contain addresses only`)
  return [...new Set(canonical)]
}

/** Whether a message says that another was read (RFC 8098): such a one comes from nobody, lest it be answered. */
export function isReceipt({ headers }: Message): boolean {
  return /^multipart\/report\b.*;\s*report-type="?disposition-notification"?/is.test(headers.last('content-type') ?? '')
}
