/** Conversations by the rule of docs/reference/threads.md: plain and slow, from header text, without code of
 *  the implementation under test. */

import { publicId } from '#/base/text/message-id.ts'

/** A message in a folder. `headers` are its header lines, each ending in CRLF. */
export interface FiledMessage {
  readonly uid: number
  /** Its own in all folders; without one the uid. */
  readonly number?: number
  readonly seen: boolean
  readonly receivedAt: number
  readonly sender: string
  readonly headers: string
  /** Of a notice of non-delivery, the header lines that it returns. */
  readonly returned?: string | undefined
}

/** As the API shows it. */
export function idOf({ uid, number = uid }: FiledMessage): string {
  return publicId(number)
}

export interface ExpectedConversation {
  /** The claimed root; null where the member with the lowest uid neither has nor strongly names an id. */
  readonly root: string | null
  readonly lowestUid: number
  readonly uids: readonly number[]
  readonly unread: boolean
  readonly lastReceivedAt: number
  readonly participants: readonly string[]
  /** Every id that is connected to it. */
  readonly ids: readonly string[]
}

/** A message of a mailbox. */
export interface PlacedMessage extends FiledMessage {
  readonly folder: string
}

export interface ExpectedWholeConversation {
  /** The claimed roots of the messages received first; one of them is the conversation's. */
  readonly roots: readonly string[]
  readonly messages: readonly PlacedMessage[]
  readonly unread: boolean
  readonly lastReceivedAt: number
  readonly participants: readonly string[]
  /** Every id that is connected to it. */
  readonly ids: readonly string[]
}

/** Newest first. */
export function expectedConversations(messages: readonly FiledMessage[]): ExpectedConversation[] {
  const groups = grouped(messages.map((message) => ({ message, ...idsOf(message) })))
  const byDate = (a: FiledMessage, b: FiledMessage) => a.receivedAt - b.receivedAt || a.uid - b.uid
  const sorted = groups.map(({ members, ids }) => {
    const ordered = members.map(({ message }) => message).sort(byDate)
    const [lowest] = members.toSorted((a, b) => a.message.uid - b.message.uid)
    const newest = ordered.at(-1)
    if (!lowest || !newest) throw new Error('a group has members')
    return {
      newest,
      root: lowest.strong[0] ?? lowest.own,
      lowestUid: lowest.message.uid,
      uids: ordered.map(({ uid }) => uid),
      unread: ordered.some(({ seen }) => !seen),
      lastReceivedAt: newest.receivedAt,
      participants: [...new Set(ordered.map(({ sender }) => sender))].filter((sender) => sender !== ''),
      ids: [...ids],
    }
  })
  return sorted.sort((a, b) => byDate(b.newest, a.newest)).map(({ newest: _, ...conversation }) => conversation)
}

/** Newest first, over folders. A message without an id has its arrival for one. */
export function expectedWholeConversations(messages: readonly PlacedMessage[]): ExpectedWholeConversation[] {
  const read = messages.map((message) => {
    const { own, ...named } = idsOf(message)
    return { message, ...named, own: own ?? arrivalOf(message) }
  })
  const byDate = (a: PlacedMessage, b: PlacedMessage) =>
    a.receivedAt - b.receivedAt || (a.folder === b.folder ? a.uid - b.uid : a.folder < b.folder ? -1 : 1)
  const conversations = grouped(read).map(({ members, ids }) => {
    const ordered = members.map(({ message }) => message).sort(byDate)
    const first = Math.min(...ordered.map(({ receivedAt }) => receivedAt))
    return {
      roots: members.flatMap(({ message, strong, own }) => (message.receivedAt === first ? [strong[0] ?? own] : [])),
      messages: ordered,
      unread: ordered.some(({ seen }) => !seen),
      lastReceivedAt: Math.max(...ordered.map(({ receivedAt }) => receivedAt)),
      participants: [...new Set(ordered.map(({ sender }) => sender))].filter((sender) => sender !== ''),
      ids: [...ids],
    }
  })
  const newest = ({ messages }: ExpectedWholeConversation) => messages.at(-1) as PlacedMessage
  return conversations.sort((a, b) => byDate(newest(b), newest(a)))
}

export function arrivalOf({ receivedAt, sender }: FiledMessage): string {
  return `${receivedAt} from ${sender}`
}

interface ReadIds {
  readonly own: string | null
  readonly strong: readonly string[]
  readonly weak: readonly string[]
}

function grouped<Read extends ReadIds>(read: readonly Read[]): { members: Read[]; ids: Set<string> }[] {
  const present = new Set(read.map(({ own }) => own))
  let groups = read.map((member) => ({
    members: [member],
    ids: new Set([
      ...(member.own ? [member.own] : []),
      ...member.strong,
      ...member.weak.filter((id) => present.has(id)),
    ]),
  }))
  for (let before = -1; before !== groups.length; ) {
    before = groups.length
    for (const group of groups) {
      const met = groups.filter((other) => other !== group && [...other.ids].some((id) => group.ids.has(id)))
      for (const other of met) {
        group.members.push(...other.members.splice(0))
        for (const id of other.ids) group.ids.add(id)
        other.ids.clear()
      }
    }
    groups = groups.filter(({ members }) => members.length > 0)
  }
  return groups
}

/** A notice names the message that it returns, and all that it names. */
function idsOf({ headers, returned }: FiledMessage): ReadIds {
  const { own, strong, weak } = readIds(headers)
  if (returned === undefined) return { own, strong, weak }
  const about = readIds(returned)
  strong.push(...about.strong)
  weak.push(...about.weak)
  if (about.own !== null) (about.own.includes('@') ? strong : weak).push(about.own)
  return { own, strong, weak }
}

/** The ids of a message: its own, those that join anyhow, those that join only to what is present. */
function readIds(headers: string): { own: string | null; strong: string[]; weak: string[] } {
  const fields = headers.replace(/\r\n(?=[ \t])/g, '').split('\r\n')
  const valuesOf = (name: string) =>
    fields.filter((line) => line.toLowerCase().startsWith(`${name}:`)).map((line) => line.slice(name.length + 1).trim())
  const strong: string[] = []
  const weak: string[] = []
  for (const value of valuesOf('references')) {
    const { angled, word } = tokens(value)
    for (const id of angled) (id.includes('@') ? strong : weak).push(id)
    if (word?.includes('@')) weak.push(word)
  }
  for (const value of valuesOf('in-reply-to')) {
    const { angled, word } = tokens(value)
    const [only] = angled
    if (value.startsWith('<') && angled.length === 1 && only?.includes('@')) strong.push(only)
    else weak.push(...angled)
    if (word?.includes('@')) weak.push(word)
  }
  const own = valuesOf('message-id').map((value) => tokens(value).angled[0] ?? tokens(value).word)
  return { own: own.findLast((id) => id !== undefined) ?? null, strong, weak }
}

/** What stands in angle brackets, and the word that stands there by itself. */
function tokens(value: string): { angled: string[]; word: string | undefined } {
  let plain = ''
  let depth = 0
  let inside = false
  for (const [index, character] of [...value].entries()) {
    if (!inside && character === '(') depth++
    if (depth === 0) {
      plain += character
      if (character === '<') inside = true
      if (character === '>') inside = false
    }
    if (!inside && depth > 0 && character === ')' && --depth === 0) plain += ' '
    if (depth > 0 && index === value.length - 1) throw new Error('an oracle for closed comments only')
  }
  const angled = [...plain.matchAll(/<([^<>]*)(>?)/g)].flatMap(([, content = '', closed]) => {
    const id = closed ? content.replace(/\s+/g, '') : content.split(/\s/)[0]
    return id ? [`<${id}>`] : []
  })
  const [word] = plain.match(/^\s*[^\s<]+\s*$/) ?? []
  return { angled, word: word && `<${word.trim()}>` }
}
