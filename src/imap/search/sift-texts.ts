import { sql } from 'kysely'
import type { Sought } from '#/formats/mime/body/holds-texts.ts'
import { mailboxMark } from '#/mail/search-index/index-text.ts'
import { listedWords } from '#/mail/search-index/listed-words.ts'
import { restMark } from '#/mail/search-index/rest-text.ts'
import { longestWord, wantedWords } from '#/mail/search-index/words.ts'
import { integers, packed } from '#/mail/store/packed.ts'
import { Places } from './places.ts'
import { type Found, sift } from './rows.ts'
import type { Scope } from './scope.ts'

type SoughtText = Extract<Sought, { in: 'text' | 'body' }>

/** Messages of which each is compared with what is sought rather than looked up in the index. */
const fewMessages = 1_000
/** Words that have a part in them, and messages that have one of these, up to which the index is of use. */
const [mostWords, mostHits] = [1_000, 20_000]
/** Words of a text that are looked up. */
const mostParts = 3

/**
 * The index of words decides where a text is, or at least where it may be. A text that is part of a word is in all words that have that part:
 * the organization's words are listed, and the index knows which messages have them. A message that the index does not have,
 * or not whole, is read itself.
 */
export async function siftTexts(scope: Scope, sought: SoughtText, within: Places, few = fewMessages): Promise<Found> {
  const parts = partsOf(sought.text)
  if (parts.length === 0) return { yes: within.without(within), maybe: within }
  // Asked first: what is indexed meanwhile is read or found.
  const open = await notInIndex(scope, within)
  const indexed = within.without(open)
  const { places, certain } =
    indexed.count > few ? await lookUp(scope, parts, indexed, few) : { places: indexed, certain: false }
  const isFound = certain && sought.in === 'text' && isPlain(sought.text)
  const found = isFound ? { yes: places, maybe: places } : await compare(scope, sought, parts, places)
  return { yes: found.yes, maybe: found.maybe.or(open) }
}

/** A part of a text that the index may have. */
interface Part {
  readonly word: string
  /** Whether a word of the message may have more before it, and behind it. */
  readonly before: boolean
  readonly behind: boolean
}

/** The words of a folded text, longest first. */
function partsOf(text: string): Part[] {
  const words = wantedWords(text)
  const [begins, ends] = [/^[\p{L}\p{N}\p{M}]/u.test(text), /[\p{L}\p{N}\p{M}]$/u.test(text)]
  return words
    .map(({ text: word, prefix }, at) => {
      // Of a longer word, a message may have any part: half of what is cut is whole in one of them.
      const isLong = [...word].length >= longestWord
      return {
        word: isLong ? [...word].slice(0, longestWord / 2).join('') : word,
        before: isLong || (at === 0 && begins),
        behind: isLong || prefix || (at === words.length - 1 && ends),
      }
    })
    .toSorted((a, b) => b.word.length - a.word.length)
    .slice(0, mostParts)
}

/** Whether the text is one word of ASCII: then the index has it if the message has. */
function isPlain(text: string): boolean {
  return /^[a-z0-9]{1,32}$/.test(text)
}

/** Messages that wait to be indexed, or of which the index has not all words; all of a Private mailbox. */
async function notInIndex(scope: Scope, within: Places): Promise<Places> {
  const { organizationId, selected } = scope
  const { rows } = await sql<{ uids: string | null; isPrivate: boolean | null }>`
    select (
      select ${packed(sql`int4send(message.uid::integer)`)} from (
        select id as content_id from mail_search_queue where organization_id = ${organizationId}
        union all select content_id from mail_search where organization_id = ${organizationId} and not whole
      ) missing join mail_messages message on message.content_id = missing.content_id
      where message.folder_id = ${selected.folderId}
    ) as uids, (
      select kind = 'private' from mailboxes where id = ${selected.mailbox.mailboxId} and organization_id = ${organizationId}
    ) as "isPrivate"`.execute(scope.db)
  const [row] = rows
  return row?.isPrivate ? within : within.and(scope.known.placesOf(integers(row?.uids ?? null)))
}

/** Those of the messages that may have all parts, as far as the index can tell in little time; `certain` if they have one of them. */
async function lookUp(
  scope: Scope,
  parts: readonly Part[],
  within: Places,
  few: number,
): Promise<{ places: Places; certain: boolean }> {
  let [places, certain] = [within, false]
  for (const part of parts) {
    const query = await queryOf(scope, part)
    if (query === undefined) continue
    const hits = query === '' ? new Places(within.size) : await hitsOf(scope, query, within)
    certain ||= hits !== undefined
    if (hits) places = places.and(hits)
    if (places.count <= few) break
  }
  return { places, certain }
}

/** All words of the organization that have the part, for the index; empty if none has, undefined if they are too many. */
async function queryOf(scope: Scope, { word, before, behind }: Part): Promise<string | undefined> {
  if (!before) return `'${word}'${behind ? ':*' : ''}`
  const words = await listedWords(scope.db, scope.organizationId, { text: word, isEnd: !behind, most: mostWords + 1 })
  return words.length > mostWords ? undefined : words.map((one) => `'${one}'`).join(' | ')
}

/** The rest of a message, as it is in its index. */
const restOf = sql`rest || ' o/' || organization_id::text`

/** Undefined if they are too many. Few are looked up one by one in the folder, many compared with all of it: PostgreSQL cannot know before
 *  which they are, and would go through the folder for a single one. */
async function hitsOf(scope: Scope, query: string, within: Places): Promise<Places | undefined> {
  const { organizationId, selected } = scope
  const few = Math.min(within.size >> 3, mostHits)
  const uids = packed(sql`int4send(uid::integer)`)
  const { rows } = await sql<{ hits: number; uids: string | null }>`
    with hit as materialized (
      (select content_id from mail_search
        where search_vector(words) @@ ${`(${query}) & '${mailboxMark(selected.mailbox.mailboxId)}'`}::tsquery and organization_id = ${organizationId} limit ${mostHits + 1})
      union
      (select content_id from mail_search
        where search_vector(${restOf}) @@ ${`(${query}) & 'o/${organizationId}'`}::tsquery and organization_id = ${organizationId} limit ${mostHits + 1})
    ), hits as materialized (select count(*) from hit)
    select (select count from hits) as hits, coalesce((
      select ${uids} from hit cross join lateral (
        select uid, folder_id from mail_messages message where message.content_id = hit.content_id offset 0
      ) copy
      where folder_id = ${selected.folderId} and (select count from hits) <= ${few}
    ), (
      select ${uids} from hit join mail_messages message using (content_id)
      where folder_id = ${selected.folderId} and (select count from hits) between ${few + 1} and ${mostHits}
    )) as uids`.execute(scope.db)
  scope.session.signal.throwIfAborted()
  const [row] = rows
  return row && row.hits <= mostHits ? scope.known.placesOf(integers(row.uids)) : undefined
}

/** What the words of each of the messages say. Of a text with anything beside one word they say only that it is not there. */
async function compare(scope: Scope, sought: SoughtText, parts: readonly Part[], places: Places): Promise<Found> {
  const [words, rest] =
    sought.in === 'body'
      ? [sql`split_part(search.words, E'\\n', 7)`, sql`split_part(search.rest, ${` ${restMark} `}, 1)`]
      : [sql`substr(search.words, strpos(search.words, E'\\n'))`, sql`search.rest`]
  const holds = (word: string) => sql<boolean>`(strpos(${words}, ${word}) > 0 or strpos(${rest}, ${word}) > 0)`
  const all = sql<boolean>`(${sql.join(
    parts.map(({ word }) => holds(word)),
    sql` and `,
  )})`
  const plain = isPlain(sought.text)
  const isMissing = sql<boolean>`search.words is null`
  return sift(scope, places, {
    yes: plain ? sql`coalesce(${all}, false)` : sql`false`,
    open: plain ? isMissing : sql`(${isMissing} or ${all})`,
  })
}
