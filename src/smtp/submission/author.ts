import { canonicalAddress, isAddress } from '#/formats/mime/address/address.ts'
import { parseAddresses } from '#/formats/mime/address/address-list.ts'
import { readAuthors } from '#/formats/mime/address/authors.ts'
import type { Headers } from '#/formats/mime/header/headers.ts'
import type { Message } from '#/formats/mime/message.ts'
import { Rejection } from '#/smtp/protocol/reply.ts'

/** No person has more addresses than this. */
const mostAuthors = 50

/** The addresses in From and Sender (RFC 5322, section 3.6.2), in canonical form, authors first: all that a mail program may
 *  show. Throws `Rejection` unless there is one From, at most one Sender, and both contain addresses only. */
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

/** Whether a message is a read receipt (RFC 8098). Receipts have a null sender, so that nothing answers them. */
export function isReceipt({ headers }: Message): boolean {
  return /^multipart\/report\b.*;\s*report-type="?disposition-notification"?/is.test(headers.last('content-type') ?? '')
}
