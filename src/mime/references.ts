import { decodeUnlabelled } from './charset.ts'
import type { Headers } from './headers.ts'

/** Ids of one message that are looked at, and the longest that counts: RFC 5322, section 2.1.1 allows no longer line. */
const MOST_IDS = 100_000
const LONGEST_ID = 998

/** Which conversation a message belongs to (decisions, Threads). Every id is written `<…>`, its case kept, without white
 *  space; none is there twice, and none is both strong and weak. */
export interface ThreadIds {
  readonly messageId: string | null
  /** Join even through a message that is absent. */
  readonly strong: readonly string[]
  /** Join only to a message that is present with that Message-ID. */
  readonly weak: readonly string[]
  /** The first strong id, References before In-Reply-To; else the message's own; else null. */
  readonly root: string | null
}

export function threadIds(headers: Headers): ThreadIds {
  const strong = new Set<string>()
  const weak = new Set<string>()
  for (const value of headers.octets('references')) {
    const { ids, bare } = readIds(value)
    for (const id of ids) (id.includes('@') ? strong : weak).add(id)
    if (bare?.includes('@')) weak.add(bare)
  }
  for (const value of headers.octets('in-reply-to')) {
    const { ids, bare } = readIds(value)
    // Old mailers wrote `Message from X <x@y> of …`: taken as strong, an address would join strangers.
    const sure = value.startsWith('<') && ids.length === 1
    for (const id of ids) (sure && id.includes('@') ? strong : weak).add(id)
    if (bare?.includes('@')) weak.add(bare)
  }
  const [first] = strong
  const messageId = ownId(headers)
  return { messageId, strong: [...strong], weak: [...weak].filter((id) => !strong.has(id)), root: first ?? messageId }
}

/** The first id of the first field that holds one; a single bare word counts as one. */
function ownId(headers: Headers): string | null {
  for (const value of headers.octets('message-id')) {
    const { ids, bare } = readIds(value)
    const id = ids[0] ?? bare
    if (id) return id
  }
  return null
}

/** The ids in a field's octets, comments (RFC 5322, section 3.2.2) left out. `bare` is what stands there where it is one
 *  word without angle brackets. */
function readIds(octets: string): { ids: string[]; bare?: string | undefined } {
  const value = octets.includes('(') ? withoutComments(octets) : octets
  const ids: string[] = []
  let open = value.indexOf('<')
  if (open < 0) return { ids, bare: /^[^\t\r\n ]+$/.test(value) ? asId(value) : undefined }
  while (open >= 0 && ids.length < MOST_IDS) {
    const end = endOfId(value, open + 1)
    const id = asId(value.slice(open + 1, end))
    if (id) ids.push(id)
    open = value.indexOf('<', end)
  }
  return { ids }
}

/** At its `>`. An id that lacks it ends where the next begins, or at white space. */
function endOfId(value: string, start: number): number {
  for (let at = start; at < value.length; at++) {
    const code = value.charCodeAt(at)
    if (code === 0x3e) return at
    if (code === 0x3c) break
  }
  const space = /[\t\r\n <]/g
  space.lastIndex = start
  return space.exec(value)?.index ?? value.length
}

function asId(octets: string): string | undefined {
  const text = /[\x00-\x20\x7f]/.test(octets) ? octets.replace(/[\x00-\x20\x7f]+/g, '') : octets
  if (text === '' || text.length > LONGEST_ID) return undefined
  return `<${/[\x80-\xff]/.test(text) ? decodeId(text) : text}>`
}

/** Each id by itself, so that one in another charset beside it does not change how it reads. */
function decodeId(octets: string): string {
  return decodeUnlabelled(Buffer.from(octets, 'latin1')).replace(/[\x80-\x9f]+/g, '')
}

/** Comments nest, and may hold what looks like an id; within `<…>` a parenthesis is part of the id. One that never
 *  closes is no comment. */
function withoutComments(value: string): string {
  let kept = ''
  let from = 0
  let depth = 0
  let open = 0
  let inAngle = false
  for (let at = 0; at < value.length; at++) {
    const code = value.charCodeAt(at)
    if (depth > 0 && code === 0x5c) at++
    else if (depth === 0 && code === 0x3c) inAngle = true
    else if (depth === 0 && code === 0x3e) inAngle = false
    else if (code === 0x28 && !inAngle && depth++ === 0) open = at
    else if (code === 0x29 && depth > 0 && --depth === 0) {
      kept += `${value.slice(from, open)} `
      from = at + 1
    }
  }
  return (kept + value.slice(from)).trim()
}
