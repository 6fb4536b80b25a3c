import { decodeUnlabelled } from '../charset.ts'
import type { Headers } from './headers.ts'
import { endOfComment, withoutComments } from './lexical.ts'
import { readOwnIds } from './own-ids.ts'

/** Limits for opening brackets, and for an id: RFC 5322, section 2.1.1 allows no longer line. */
const MOST_IDS = 100_000
const LONGEST_ID = 998
/** Of a field without brackets, comments and all. */
const LONGEST_BARE = 10_000

const OPEN = 0x3c
const CLOSE = 0x3e

/** The ids that connect a message with others (docs/reference/threads.md). Each is `<…>`, with its case, without white space, and
 *  appears once, as strong or weak. */
export interface ThreadIds {
  readonly messageId: string | null
  /** Connect through absent messages too. */
  readonly strong: readonly string[]
  /** Connect only to a present message with that Message-ID. */
  readonly weak: readonly string[]
  /** The first strong id, References before In-Reply-To; else the message's own; else null. */
  readonly root: string | null
}

export function threadIds(headers: Headers): ThreadIds {
  const strong = new Set<string>()
  const weak = new Set<string>()
  let left = MOST_IDS
  for (const value of headers.octets('references')) {
    const { ids, bare, looked } = readIds(value, left)
    for (const id of ids) (id.includes('@') ? strong : weak).add(id)
    if (bare?.includes('@')) weak.add(bare)
    left -= looked
  }
  for (const value of headers.octets('in-reply-to')) {
    const { ids, bare, looked } = readIds(value, left)
    // Old mailers wrote `Message from X <x@y> of …`: as a strong id, the address would connect strangers.
    const sure = value.startsWith('<') && ids.length === 1
    for (const id of ids) (sure && id.includes('@') ? strong : weak).add(id)
    if (bare?.includes('@')) weak.add(bare)
    left -= looked
  }
  const [first] = strong
  const messageId = ownId(headers)
  const ids = {
    messageId,
    strong: [...strong],
    weak: [...weak].filter((id) => !strong.has(id)),
    root: first ?? messageId,
  }
  return withOwnIds(ids, readOwnIds(headers))
}

/** The ids with ours, each in front of the one that a relay has given the same message. `own` has ours by the relay's. */
export function withOwnIds(ids: ThreadIds, own: ReadonlyMap<string, string>): ThreadIds {
  if (own.size === 0) return ids
  const strong = new Set(ids.strong.flatMap((id) => [own.get(id.toLowerCase()) ?? id, id]))
  // Those of its own Message-ID, of weak ids, and of what a notice returns.
  for (const id of own.values()) strong.add(id)
  const [root = null] = strong
  return { ...ids, strong: [...strong], weak: ids.weak.filter((id) => !strong.has(id)), root }
}

/** All ids in the fields of a name. A single bare word counts as one if it has an @. */
export function idsIn(headers: Headers, name: string): string[] {
  let left = MOST_IDS
  return headers.octets(name).flatMap((value) => {
    const { ids, bare, looked } = readIds(value, left)
    left -= looked
    return bare?.includes('@') ? [bare] : ids
  })
}

/** The first id of the last field that holds one, as signatures count fields; a single bare word counts as one. */
function ownId(headers: Headers): string | null {
  for (const value of headers.octets('message-id').reverse()) {
    const { ids, bare } = readIds(value, 10)
    const id = ids[0] ?? bare
    if (id) return id
  }
  return null
}

/** The ids in a field's octets, without comments (RFC 5322, section 3.2.2). Reads `most` opening brackets at most. `bare` is
 *  the only word of a field without angle brackets. Reads each octet once or twice, without regular expressions: a field may
 *  have 100,000 ids, and is read while a sender waits. */
function readIds(value: string, most: number): { ids: string[]; bare?: string | undefined; looked: number } {
  const ids: string[] = []
  let looked = 0
  let commentsClose = true
  for (let at = 0; at < value.length && looked < most; at++) {
    const code = value.charCodeAt(at)
    if (code === OPEN) {
      const { end, plain } = endOfId(value, at + 1)
      const id = plain && end - at <= LONGEST_ID ? value.slice(at, end + 1) : cleanId(value.slice(at + 1, end))
      if (id) ids.push(id)
      at = value.charCodeAt(end) === CLOSE ? end : end - 1
      looked++
    } else if (code === 0x28 && commentsClose) {
      const end = endOfComment(value, at)
      commentsClose = end !== undefined
      at = end ?? at
    }
  }
  if (looked > 0) return { ids, looked }
  const words = most > 0 && value.length <= LONGEST_BARE ? withoutComments(value) : ''
  return { ids, looked, bare: /^[^\t\r\n <]+$/.test(words) ? cleanId(words) : undefined }
}

/** Where the id that starts at `start` ends: at its `>`. One that lacks it ends where the next begins, or at white space.
 *  `plain` is whether it is closed and holds nothing but printable ASCII. */
function endOfId(value: string, start: number): { end: number; plain: boolean } {
  let plain = true
  let space = -1
  let at = start
  for (; at < value.length; at++) {
    const code = value.charCodeAt(at)
    if (code === CLOSE) return { end: at, plain: plain && at > start }
    if (code === OPEN) break
    if (code <= 0x20 || code >= 0x7f) plain = false
    if (code <= 0x20 && space < 0) space = at
  }
  return { end: space < 0 ? at : space, plain: false }
}

/** White space and controls go; octets over 127 are decoded for each id by itself, so that one in another charset beside
 *  it does not change how it reads. */
function cleanId(octets: string): string | undefined {
  const text = octets.replace(/[\x00-\x20\x7f]+/g, '')
  if (text === '' || text.length > LONGEST_ID) return undefined
  const decoded = /[\x80-\xff]/.test(text) ? decodeUnlabelled(Buffer.from(text, 'latin1')) : text
  return `<${decoded.replace(/[\x80-\x9f]+/g, '')}>`
}

/** The ids of a field that a message can be sent with (RFC 5322, section 3.6.4): `<…@…>` in printable ASCII. */
export function sendableIds(text: string): string[] {
  const written = text.match(/<[!-;=?-~]+>/g) ?? []
  // Not in the expression, which would try each of many @.
  return written.filter((id) => {
    const at = id.indexOf('@', 2)
    return at > 0 && at < id.length - 2
  })
}
