import type { Address } from './address/address.ts'
import { authorAmong, parseAddresses } from './address/address-list.ts'
import { isOtherForm, isShown, sortParts } from './body/content.ts'
import type { Part } from './body/part.ts'
import type { Body } from './body/pieces.ts'
import { previewOf } from './body/preview.ts'
import { shownPictures } from './body/shown-pictures.ts'
import { readStructure } from './body/structure.ts'
import { type Headers, readHeaders } from './header/headers.ts'
import type { OwnId } from './header/own-ids.ts'
import { withOwnIds } from './header/references.ts'
import type { Message } from './message.ts'
import { connectingIds } from './report/returned.ts'

/** Never throws, and takes bounded time. */
export function readMessage(raw: Buffer): Message {
  const { headers, bodyStart } = readHeaders(raw)
  const body = sortParts(readStructure(raw, headers, bodyStart))
  const shown = shownPictures(raw, body)
  const { messageId, root, strong, weak } = connectingIds(raw, headers)
  const authors = addressesIn(headers, 'from')
  return {
    raw,
    headers,
    messageId,
    threadRoot: root,
    strong,
    weak,
    subject: headers.text('subject').slice(0, LONGEST_SUBJECT).toWellFormed(),
    from: authorAmong(headers.count('from') > 1 ? parseAddresses(headers.last('from') ?? '') : authors) ?? null,
    sender: sendersIn(headers, authors),
    to: addressesIn(headers, 'to'),
    cc: addressesIn(headers, 'cc'),
    replyTo: parseAddresses(headers.last('reply-to') ?? ''),
    hasAttachment: hasAttachment(body, (part) => isShown(part, shown)),
    preview: previewOf(raw, body),
  }
}

/** The message with ours of the ids that it names by those of relays. For its octets there is `ownIdField`. */
export function naming(message: Message, ids: readonly OwnId[]): Message {
  const { messageId, threadRoot: root, strong, weak } = message
  const own = new Map(ids.map(({ own, given }) => [given, own]))
  const { root: threadRoot, ...named } = withOwnIds({ messageId, root, strong, weak }, own)
  return { ...message, threadRoot, ...named }
}

function hasAttachment({ attached }: Body, isInText: (part: Part, within: readonly Part[]) => boolean): boolean {
  return attached.some(({ part, within }) => {
    return !(isInText(part, within) || isOtherForm(part, within) || SIGNATURES.has(part.type))
  })
}

/** Limit for a subject; RFC 5322, section 2.1.1 allows 998 octets in a line. */
const LONGEST_SUBJECT = 2_000

/** Signatures are not attachments that a reader opens. */
const SIGNATURES = new Set([
  'application/pgp-signature',
  'application/pkcs7-signature',
  'application/x-pkcs7-signature',
])

/** Everyone in From and in Sender. */
export function sendersIn(headers: Headers, authors = addressesIn(headers, 'from')): Address[] {
  return [...authors, ...addressesIn(headers, 'sender')]
}

/** From all fields of that name: a second To is a fault, but its recipients count. */
export function addressesIn(headers: Headers, name: string): Address[] {
  return parseAddresses(headers.all(name).join(',\n'))
}
