import type { Headers } from './headers.ts'

/** A Message-ID of ours, and the one by which others know the message since a relay replaced ours. Both are `<…>`. */
export interface OwnId {
  readonly own: string
  /** In lower case. */
  readonly given: string
}

const name = 'X-Mailroom-Own-ID'
const key = name.toLowerCase()

/** Of one message. */
const mostPairs = 200

/** A whole header field for a message that names relays' ids: it names ours beside each. Ids are printable ASCII. */
export function ownIdField(ids: readonly OwnId[]): string {
  const pairs = ids.map(({ own, given }) => `${own}\r\n\t${given}`)
  return pairs.length === 0 ? '' : `${name}: ${pairs.join('\r\n\t')}\r\n`
}

/** Our ids that the header names, by the relay's. Anybody may write such a field: it connects no more than References does. */
export function readOwnIds(headers: Headers): ReadonlyMap<string, string> {
  const ids = new Map<string, string>()
  for (const value of headers.octets(key)) {
    const words = value.split(/\s+/, 2 * mostPairs).filter((word) => /^<[!-;=?-~]{1,250}>$/.test(word))
    for (let at = 0; at + 1 < words.length && ids.size < mostPairs; at += 2)
      ids.set(words[at + 1]?.toLowerCase() ?? '', words[at] ?? '')
  }
  return ids
}
