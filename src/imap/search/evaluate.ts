import { conversationIds } from '#/mail/threads/public-ids.ts'
import { siftContents } from './content.ts'
import { Places } from './places.ts'
import { everything, isColumns, type Joined, type MessageSet, type SearchKey } from './program.ts'
import { type Judged, readOpen } from './read-open.ts'
import { findRows } from './rows.ts'
import type { Scope } from './scope.ts'

/** The messages of the selected mailbox that a program finds, of those that the client knows and that are still there. First what is
 *  stored of messages is asked, each key for those that the others leave; then the messages are read about which that does not decide. */
export async function find(scope: Scope, program: SearchKey): Promise<Places> {
  const all = Places.all(scope.known.size)
  const within = asksRows(program) ? all : await findRows(scope, everything, all)
  const judged = await judge(scope, program, within)
  return judged.yes.or(await readOpen(scope, judged))
}

/** Whether no message is found without a look at its row, so that only those are that are there. What messages say is asked of their rows
 *  too. */
function asksRows(key: SearchKey): boolean {
  if (key.kind === 'all') return key.of.some(asksRows)
  if (key.kind === 'either') return key.of.length > 0 && key.of.every(asksRows)
  return isColumns(key) || key.kind === 'content'
}

async function judge(scope: Scope, key: SearchKey, within: Places): Promise<Judged> {
  if (within.isEmpty) return { key, of: [], yes: within, maybe: within }
  if (isColumns(key)) return sure(key, await findRows(scope, key, within))
  switch (key.kind) {
    case 'all':
    case 'either':
      return key.kind === 'all' ? judgeAll(scope, key, within) : judgeEither(scope, key, within)
    case 'not': {
      const of = await judge(scope, key.of, within)
      return { key, of: [of], yes: within.without(of.maybe), maybe: within.without(of.yes) }
    }
    case 'set': {
      return sure(key, within.and(placesOf(scope, key)))
    }
    case 'thread':
      return sure(key, within.and(scope.known.placesOf(await uidsOfThread(scope, key.id))))
    case 'content':
      return { key, of: [], ...(await siftContents(scope, key.sought, within)) }
    default:
      throw new Error(`no key of a program is ${key.kind}`)
  }
}

/** What is quick to find out narrows what the others look at. */
async function judgeAll(scope: Scope, key: Joined, within: Places): Promise<Judged> {
  const of: Judged[] = []
  let [yes, maybe] = [within, within]
  for (const one of quickFirst('all', key.of)) {
    const judged = await judge(scope, one, maybe)
    of.push(judged)
    yes = yes.and(judged.yes)
    maybe = judged.maybe
  }
  return { key, of, yes, maybe }
}

async function judgeEither(scope: Scope, key: Joined, within: Places): Promise<Judged> {
  const of: Judged[] = []
  const none = within.without(within)
  let [yes, maybe] = [none, none]
  for (const one of quickFirst('either', key.of)) {
    const judged = await judge(scope, one, within.without(yes))
    of.push(judged)
    yes = yes.or(judged.yes)
    maybe = maybe.or(judged.maybe)
  }
  return { key, of, yes, maybe }
}

/** Sets, then rows, which one statement asks for all keys, then what messages say. */
function quickFirst(kind: 'all' | 'either', keys: readonly SearchKey[]): SearchKey[] {
  const columns = keys.filter(isColumns)
  const others = keys.filter((key) => !isColumns(key))
  const sets = others.filter((key) => key.kind === 'set')
  const together: SearchKey[] = columns.length > 0 ? [{ kind, of: columns }] : []
  return [...sets, ...together, ...others.filter((key) => key.kind !== 'set')]
}

/** A sequence number that no message has finds none, as with other servers: programs ask for `1:*` of an empty mailbox too. */
function placesOf({ known, selected }: Scope, { by, set }: MessageSet): Places {
  if (set === '$' || by === 'uid') {
    return known.placesIn(selected.messages.uidRanges(set, by, selected.savedSearch))
  }
  const places = new Places(known.size)
  for (const { from, to } of set) {
    const [one, other] = [Math.min(from, known.size), to === Number.POSITIVE_INFINITY ? known.size : to]
    const first = from > known.size && to !== Number.POSITIVE_INFINITY ? from : Math.min(one, other)
    for (let number = Math.max(1, first); number <= Math.min(other, known.size); number++) places.add(number - 1)
  }
  return places
}

function sure(key: SearchKey, places: Places): Judged {
  return { key, of: [], yes: places, maybe: places }
}

/** Drafts and unwanted mail have no conversation. */
async function uidsOfThread({ session: { parts }, selected }: Scope, id: string): Promise<number[]> {
  const { mailbox, folder } = selected
  const index = await parts.mailboxIndexes.upToDate(mailbox)
  const bytes = /^[A-Za-z0-9_-]{16}$/.test(id) ? Buffer.from(id, 'base64url').subarray(4) : undefined
  const conversation = bytes && index.find(bytes)
  if (!conversation || conversationIds(parts.idKey, mailbox.mailboxId)(conversation.root) !== id) return []
  return conversation.messages.filter((message) => message.folder === folder).map(({ uid }) => uid)
}
