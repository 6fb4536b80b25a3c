import { invalid } from '#/errors.ts'
import { collected } from '#/event-loop/pieces.ts'
import type { MessageReader } from '#/mime/reader.ts'
import type { MailboxRef, MailHost, Summary } from '#/ports/mail-host.ts'
import { beginning, type Found, patience, type SearchPage, type SearchPlace, type SearchQuery } from '#/ports/search.ts'
import { matches } from '#/search/matches.ts'
import { searchesFolder, timesOf } from '#/search/scope.ts'

/** Mailboxes in a search, which opens each of their folders. */
const mostMailboxes = 50
const pageSize = 50

type Host = Pick<MailHost, 'folders' | 'list' | 'read'>

/** Searches without an index: scans the newest messages, and reads a message if only its text decides. */
export async function searchByReading(
  host: Host,
  reader: MessageReader,
  mailboxes: readonly MailboxRef[],
  query: SearchQuery,
): Promise<SearchPage> {
  if (mailboxes.length > mostMailboxes) {
    throw invalid('mailbox', `On this mail host a search can have at most ${mostMailboxes} mailboxes; name some`)
  }
  const until = performance.now() + patience
  const found: Found[] = []
  let last: SearchPlace | undefined
  for await (const { mailbox, summary, place } of newestFirst(host, mailboxes, query)) {
    if (found.length === query.limit || (last && performance.now() > until)) {
      return { found, next: last, partial: found.length < query.limit, indexing: false }
    }
    last = place
    const one = await tryOne(host, reader, mailbox, summary, query)
    if (one) found.push(one)
  }
  return { found, next: undefined, partial: false, indexing: false }
}

async function tryOne(
  host: Host,
  reader: MessageReader,
  mailbox: MailboxRef,
  summary: Summary,
  { tree, now }: SearchQuery,
): Promise<Found | undefined> {
  const known = matches(tree, { summary }, now)
  if (known === false) return undefined
  const stored = await host.read(mailbox, summary.folder, summary.uid)
  if (!stored) return undefined
  const raw = await collected(stored.pieces(), summary.sizeBytes)
  if (known === undefined && !matches(tree, { summary, searchable: await reader.searchable(raw) }, now))
    return undefined
  return { mailboxId: mailbox.mailboxId, summary, beginning: raw.subarray(0, beginning) }
}

interface Candidate {
  readonly mailbox: MailboxRef
  readonly summary: Summary
  readonly place: SearchPlace
}

/** The messages of all searched folders in the query's order, from its place. */
async function* newestFirst(
  host: Host,
  mailboxes: readonly MailboxRef[],
  { tree, now, after }: SearchQuery,
): AsyncGenerator<Candidate> {
  const searches = searchesFolder(tree)
  const { since, until } = timesOf(tree, now)
  const end = until && { receivedAt: until.getTime(), folder: '', uid: 0 }
  const start = after && end ? (compare(after, end) > 0 ? after : end) : (after ?? end)
  const heads: { next: Candidate; rest: AsyncGenerator<Candidate> }[] = []
  for (const mailbox of mailboxes) {
    for (const { name, total } of await host.folders(mailbox)) {
      if (total === 0 || !searches(name)) continue
      const rest = inFolder(host, mailbox, name, start)
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
  host: Host,
  mailbox: MailboxRef,
  folder: string,
  start: SearchPlace | undefined,
): AsyncGenerator<Candidate> {
  const key = `${mailbox.mailboxId}/${folder}`
  const candidate = (summary: Summary): Candidate => {
    return { mailbox, summary, place: { receivedAt: summary.receivedAt.getTime(), folder: key, uid: summary.uid } }
  }
  const read = (page: number) => host.list(mailbox, folder, { limit: pageSize, page })
  for (let page = start ? await pageWith(read, (summary) => isAfter(candidate(summary), start)) : 0; ; page++) {
    const { total, messages } = await read(page)
    for (const summary of messages) {
      const one = candidate(summary)
      if (!start || isAfter(one, start)) yield one
    }
    if ((page + 1) * pageSize >= total) return
  }
}

/** The first page whose last message is behind the place; earlier pages have no result. */
async function pageWith(
  read: (page: number) => Promise<{ total: number; messages: Summary[] }>,
  isWanted: (summary: Summary) => boolean,
): Promise<number> {
  const { total, messages } = await read(0)
  let [low, high] = [0, Math.max(0, Math.ceil(total / pageSize) - 1)]
  for (let [page, shown] = [0, messages]; low < high; ) {
    const last = shown.at(-1)
    if (!last || isWanted(last)) high = page
    else low = page + 1
    if (low >= high) break
    page = Math.floor((low + high) / 2)
    shown = (await read(page)).messages
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
