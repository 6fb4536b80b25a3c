import { invalid, unlessDeleted } from '#/errors.ts'
import { collected } from '#/event-loop/pieces.ts'
import { unlessFolderGone } from '#/mail/folder-names.ts'
import type { MessageReader } from '#/mime/reader.ts'
import type { MailboxRef, MailHost, Stored, Summary } from '#/ports/mail-host.ts'
import { beginning, type Found, patience, type SearchPage, type SearchPlace, type SearchQuery } from '#/ports/search.ts'
import { Matcher } from '#/search/matches.ts'
import { searchesFolder, timesOf } from '#/search/scope.ts'
import type { Candidates } from './candidates.ts'

/** Mailboxes in a search, which opens each of their folders. */
const mostMailboxes = 50
const pageSize = 50

interface Parts {
  readonly host: Pick<MailHost, 'folders' | 'summaries' | 'read'>
  readonly candidates: Pick<Candidates, 'in'>
  readonly reader: MessageReader
}

/** Searches without an index of our own: scans the newest messages that the server finds, and reads a message if only its text
 *  decides. */
export async function searchByReading(
  parts: Parts,
  mailboxes: readonly MailboxRef[],
  query: SearchQuery,
): Promise<SearchPage> {
  if (mailboxes.length > mostMailboxes) {
    throw invalid('mailbox', `On this mail host a search can have at most ${mostMailboxes} mailboxes; name some`)
  }
  const until = performance.now() + patience
  const matcher = new Matcher(query.tree, query.now)
  const found: Found[] = []
  let last: SearchPlace | undefined
  for await (const { mailbox, summary, place } of newestFirst(parts, mailboxes, query)) {
    if (found.length === query.limit || (last && performance.now() > until)) {
      return { found, next: last, partial: found.length < query.limit, indexing: false }
    }
    last = place
    const one = await tryOne(parts, mailbox, summary, matcher)
    if (one) found.push(one)
  }
  return { found, next: undefined, partial: false, indexing: false }
}

async function tryOne(
  { host, reader }: Parts,
  mailbox: MailboxRef,
  summary: Summary,
  matcher: Matcher,
): Promise<Found | undefined> {
  const known = matcher.matches({ summary })
  if (known === false) return undefined
  const stored = await host.read(mailbox, summary.folder, summary.uid).catch(unlessFolderGone)
  if (!stored) return undefined
  const reading = known ? firstOf(stored) : collected(stored.pieces(), summary.sizeBytes)
  const raw = await reading.catch(unlessDeleted)
  if (!raw) return undefined
  if (!known && !matcher.matches({ summary, searchable: await reader.searchable(raw) })) return undefined
  // A copy, for a page must not hold whole messages.
  return { mailboxId: mailbox.mailboxId, summary, beginning: Buffer.from(raw.subarray(0, beginning)) }
}

async function firstOf(stored: Stored): Promise<Buffer> {
  for await (const piece of stored.pieces()) return piece
  return Buffer.alloc(0)
}

interface Candidate {
  readonly mailbox: MailboxRef
  readonly summary: Summary
  readonly place: SearchPlace
}

/** The messages of all searched folders in the query's order, from its place. */
async function* newestFirst(
  parts: Parts,
  mailboxes: readonly MailboxRef[],
  query: SearchQuery,
): AsyncGenerator<Candidate> {
  const { tree, now, after } = query
  const wordsUntil = performance.now() + patience / 2
  const searches = searchesFolder(tree)
  const { since, until } = timesOf(tree, now)
  const end = until && { receivedAt: until.getTime(), folder: '', uid: 0 }
  const start = after && end ? (compare(after, end) > 0 ? after : end) : (after ?? end)
  const heads: { next: Candidate; rest: AsyncGenerator<Candidate> }[] = []
  for (const mailbox of mailboxes) {
    for (const { name, total } of await parts.host.folders(mailbox)) {
      if (total === 0 || !searches(name)) continue
      const uids = (await parts.candidates.in(mailbox, name, query, wordsUntil).catch(unlessFolderGone)) ?? []
      const rest = inFolder(parts.host, mailbox, name, uids, start)
      const first = await rest.next()
      if (!first.done) heads.push({ next: first.value, rest })
    }
  }
  for (;;) {
    heads.sort((one, other) => compare(one.next.place, other.next.place))
    const [head] = heads
    if (!head || (since && head.next.summary.receivedAt < since)) return
    yield head.next
    const following = await head.rest.next()
    if (following.done) heads.shift()
    else head.next = following.value
  }
}

async function* inFolder(
  host: Parts['host'],
  mailbox: MailboxRef,
  folder: string,
  uids: readonly number[],
  start: SearchPlace | undefined,
): AsyncGenerator<Candidate> {
  const key = `${mailbox.mailboxId}/${folder}`
  const candidate = (summary: Summary): Candidate => {
    return { mailbox, summary, place: { receivedAt: summary.receivedAt.getTime(), folder: key, uid: summary.uid } }
  }
  const read = async (page: number) => {
    const wanted = uids.slice(page * pageSize, (page + 1) * pageSize)
    const summaries = (await host.summaries(mailbox, folder, wanted).catch(unlessFolderGone)) ?? []
    const found = new Map(summaries.map((summary) => [summary.uid, summary]))
    return wanted.flatMap((uid) => found.get(uid) ?? [])
  }
  const pages = Math.ceil(uids.length / pageSize)
  const isWanted = (summary: Summary) => !start || isAfter(candidate(summary), start)
  for (let page = start ? await pageWith(read, pages, isWanted) : 0; page < pages; page++) {
    for (const summary of await read(page)) if (isWanted(summary)) yield candidate(summary)
  }
}

/** The first page whose last message is behind the place; earlier pages have no result. */
async function pageWith(
  read: (page: number) => Promise<readonly Summary[]>,
  pages: number,
  isWanted: (summary: Summary) => boolean,
): Promise<number> {
  let [low, high] = [0, Math.max(0, pages - 1)]
  while (low < high) {
    const page = Math.floor((low + high) / 2)
    const last = (await read(page)).at(-1)
    if (!last || isWanted(last)) high = page
    else low = page + 1
  }
  return low
}

function isAfter({ place }: Candidate, start: SearchPlace): boolean {
  return compare(place, start) > 0
}

/** Below 0 if the first one comes first. */
function compare(one: SearchPlace, other: SearchPlace): number {
  if (one.receivedAt !== other.receivedAt) return other.receivedAt - one.receivedAt
  if (one.folder !== other.folder) return one.folder > other.folder ? -1 : 1
  return other.uid - one.uid
}
