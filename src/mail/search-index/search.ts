import { sql } from 'kysely'
import type { Db } from '#/base/db/schema.ts'
import { invalid } from '#/base/errors.ts'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'
import { first, inBase64 } from '#/mail/store/octets.ts'
import { type SummaryRow, summaryColumns, summaryOf } from '#/mail/store/read.ts'
import { lookUp, mostHits, type Scope, type SearchPosition, type Walked, walk } from './candidates.ts'
import { condition, heldWords, necessaryWords } from './condition.ts'
import { mailboxMark, organizationMark } from './index-text.ts'
import type { Found, SearchPage, SearchPlace, SearchQuery, SearchTree } from './query.ts'
import { musts, searchesFolder, timesOf } from './scope.ts'
import { queryWords } from './words.ts'

/** The time of a request, in milliseconds. The next request continues. */
const patience = 2_000
/** Octets of a message that is found, to show the place that matched from. */
const beginning = 64 * 1024
/** Messages examined by a statement, first if an index knows the words, then without one: 20 ms on the embedded database,
 *  which serves nothing else meanwhile. */
const fewNewest = 200
const newest = 1_000
/** Comparisons of a word with a message in the first statement. In a message of 16,000 words each takes up to a millisecond. */
const fewComparisons = 1_000
/** After a statement that takes longer, in milliseconds, the next examines few messages again, and otherwise twice as many. */
const long = 100
/** Messages of a sample with the words, from which their total number can be estimated. */
const fewHeld = 3
/** Mailboxes that the index looks up one by one; with more it looks up the organization's. */
const mostNamed = 20
/** Of all that is indexed, the part from which on the index looks up the words alone: comparing each message that has them with all of the
 *  organization takes 2 to 6 ms for 200 of a million, and would leave out few. */
const nearlyAll = 0.9
const megabyte = 1_000_000

interface SearchedFolder {
  readonly id: number
  readonly name: string
  readonly mailboxId: string
  readonly total: number
  /** All Smart mailboxes of the organization are searched. */
  readonly ofAll: boolean
  /** The number of messages of all organizations in the index, as the database last counted; -1 if it never has. */
  readonly indexed: number
}

/** Searches mailboxes of one organization (docs/reference/search.md). */
export async function searchMail(db: Db, mailboxes: readonly MailboxRef[], query: SearchQuery): Promise<SearchPage> {
  const [first] = mailboxes
  const nothing = { found: [], next: undefined, partial: false, indexing: false }
  if (!first) return nothing
  const { organizationId } = first
  const folders = await foldersOf(db, organizationId, mailboxes)
  const scope = scopeOf(organizationId, folders, query)
  if (scope.folderIds.length === 0) return nothing
  const words = wordsToLookUp(query.tree, organizationId, mailboxes, folders)
  const { places, edge } = await findPlaces(db, scope, { ...query, words, from: startOf(query) })
  const page = places.slice(0, query.limit)
  const last = page.at(-1)
  const more = places.length > query.limit ? last : edge
  const [found, indexing] = await Promise.all([load(db, organizationId, page, folders), isIndexing(db, organizationId)])
  return { found, next: more && outer(more), partial: edge !== undefined && places.length <= query.limit, indexing }
}

/** The places of results, one more than `limit` if there are. `edge`: there may be more from there. */
async function findPlaces(
  db: Db,
  scope: Scope,
  { words, from: start, limit, tree }: { words: string | undefined; from: SearchPosition | undefined } & SearchQuery,
): Promise<{ places: SearchPosition[]; edge: SearchPosition | undefined }> {
  const until = performance.now() + patience
  const compared = wordsIn(tree)
  const least = Math.min(fewNewest, Math.ceil(fewComparisons / Math.max(1, compared)))
  // Finding them again would take longer than trying them, unless the query has many words.
  const hits = Math.ceil((mostHits * least) / fewNewest)
  const places: SearchPosition[] = []
  const sample = { looked: 0, held: 0 }
  let toLookUp = words
  let from = start
  for (let count = compared > 0 ? least : newest; ; ) {
    const began = performance.now()
    const bounds = { from, most: limit + 1 - places.length }
    let step: Pick<Walked, 'places' | 'edge'> | undefined
    if (toLookUp !== undefined && sample.looked > 0 && !isFrequent(sample, scope.total)) {
      step = await lookUp(db, scope, { ...bounds, count: hits, words: toLookUp })
      if (!step) toLookUp = undefined
    }
    if (!step) {
      const walked = await walk(db, scope, { ...bounds, count, sampled: toLookUp !== undefined })
      sample.looked += walked.looked
      sample.held += walked.held
      step = walked
    }
    places.push(...step.places)
    if (!step.edge || places.length > limit) return { places, edge: undefined }
    from = step.edge
    const now = performance.now()
    if (now > until) return { places, edge: from }
    count = now - began > long ? least : Math.min(2 * count, newest)
  }
}

/** The words that a message is compared with. */
function wordsIn(tree: SearchTree): number {
  if (tree.kind === 'all' || tree.kind === 'either') return tree.of.reduce((sum, one) => sum + wordsIn(one), 0)
  if (tree.kind === 'not') return wordsIn(tree.of)
  if (tree.kind === 'text') return queryWords(tree.text).length
  return tree.kind === 'message_id' ? 1 : 0
}

/** Whether the index would have too many results to be of use. Finding that out there takes as long as there are results. */
function isFrequent({ looked, held }: Pick<Walked, 'looked' | 'held'>, total: number): boolean {
  return held >= fewHeld && (held / looked) * total > 2 * mostHits
}

function scopeOf(organizationId: string, folders: readonly SearchedFolder[], { tree, now }: SearchQuery): Scope {
  const named = (name: string) => folders.filter((folder) => folder.name === name).map(({ id }) => id)
  const searches = searchesFolder(tree)
  return {
    organizationId,
    folderIds: folders.filter(({ name }) => searches(name)).map(({ id }) => id),
    total: totalOf(folders),
    unread: musts(tree).some(({ kind }) => kind === 'unread'),
    large: musts(tree).some((one) => one.kind === 'larger' && one.bytes >= megabyte),
    since: timesOf(tree, now).since,
    condition: condition(tree, now, named),
    held: heldWords(tree),
  }
}

/** Where to begin: behind the previous page, or where the query's range begins. */
function startOf({ tree, now, after }: SearchQuery): SearchPosition | undefined {
  if (after && !/^\d{1,15}$/.test(after.folder)) throw invalid('cursor', 'cursor is not one that a search answered')
  const given = after && { receivedAt: after.receivedAt, folderId: Number(after.folder), uid: after.uid }
  const until = timesOf(tree, now).until?.getTime()
  if (until === undefined || (given && given.receivedAt < until)) return given
  return { receivedAt: until, folderId: 0, uid: 0 }
}

function outer({ receivedAt, folderId, uid }: SearchPosition): SearchPlace {
  return { receivedAt, folder: String(folderId), uid }
}

/** What the index is asked for; undefined if it knows nothing of use. */
function wordsToLookUp(
  tree: SearchTree,
  organizationId: string,
  mailboxes: readonly MailboxRef[],
  folders: readonly SearchedFolder[],
): string | undefined {
  const words = necessaryWords(tree)
  const [folder] = folders
  if (words === undefined || !folder) return undefined
  if (folder.indexed > 0 && totalOf(folders) >= nearlyAll * folder.indexed) return words
  const marks =
    mailboxes.length > mostNamed || folder.ofAll
      ? [organizationMark(organizationId)]
      : mailboxes.map(({ mailboxId }) => mailboxMark(mailboxId))
  return `${words} & (${marks.map((mark) => `'${mark}'`).join(' | ')})`
}

function totalOf(folders: readonly SearchedFolder[]): number {
  return folders.reduce((sum, { total }) => sum + total, 0)
}

async function foldersOf(db: Db, organizationId: string, mailboxes: readonly MailboxRef[]): Promise<SearchedFolder[]> {
  const ids = mailboxes.map(({ mailboxId }) => mailboxId)
  const { rows } = await sql<SearchedFolder>`
    select id, name, mailbox_id as "mailboxId", total, (
        select count(*) from (
          select from mailboxes where organization_id = ${organizationId} and kind = 'smart' limit ${ids.length + 1}
      ) smart
      ) = ${ids.length} as "ofAll",
      (select reltuples from pg_class where oid = 'mail_search'::regclass) as indexed
    from mail_folders
    where organization_id = ${organizationId} and mailbox_id = any(${ids}::uuid[]) and total > 0`.execute(db)
  return rows
}

/** In the order of the places, without messages that have been removed. */
async function load(
  db: Db,
  organizationId: string,
  places: readonly SearchPosition[],
  folders: readonly SearchedFolder[],
): Promise<Found[]> {
  if (places.length === 0) return []
  const [folderIds, uids] = [places.map(({ folderId }) => folderId), places.map(({ uid }) => uid)]
  const { rows } = await sql<SummaryRow & { folder_id: number; beginning: string }>`
    select message.folder_id, ${summaryColumns},
      ${inBase64(first(beginning))} as beginning
    from unnest(${folderIds}::bigint[], ${uids}::bigint[]) as wanted (folder_id, uid)
    join mail_messages message using (folder_id, uid)
    join mail_contents content on content.id = message.content_id and content.organization_id = ${organizationId}`.execute(
    db,
  )
  const byPlace = new Map(rows.map((row) => [`${row.folder_id}/${row.uid}`, row]))
  const byId = new Map(folders.map((folder) => [folder.id, folder]))
  return places.flatMap(({ folderId, uid }) => {
    const [row, folder] = [byPlace.get(`${folderId}/${uid}`), byId.get(folderId)]
    if (!row || !folder) return []
    const { mailboxId, name } = folder
    return [{ mailboxId, summary: summaryOf(row, name), beginning: Buffer.from(row.beginning, 'base64') }]
  })
}

async function isIndexing(db: Db, organizationId: string): Promise<boolean> {
  const { rows } = await sql<{ waits: boolean }>`
    select exists (select from mail_search_queue where organization_id = ${organizationId}) as waits`.execute(db)
  return rows[0]?.waits ?? false
}
