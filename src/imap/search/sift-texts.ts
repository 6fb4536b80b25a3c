import { sql } from 'kysely'
import { isUnspaced } from '#/base/text/word-fold.ts'
import type { Sought } from '#/formats/mime/body/holds-texts.ts'
import { mailboxMark } from '#/mail/search-index/index-text.ts'
import { listedWords } from '#/mail/search-index/listed-words.ts'
import { restMark } from '#/mail/search-index/rest-text.ts'
import { spelled } from '#/mail/search-index/spelled.ts'
import { longestWord, queryWords } from '#/mail/search-index/words.ts'
import { integers, packed } from '#/mail/store/packed.ts'
import { Places } from './places.ts'
import { type Found, sift } from './rows.ts'
import type { Scope } from './scope.ts'

type SoughtText = Extract<Sought, { in: 'text' | 'body' }>

/** Messages of which each is compared with what is sought rather than looked up in the index. */
const fewMessages = 1_000
/** Words that have a part in them, and messages that have one of these, up to which the index is of use. */
const [mostWords, mostHits] = [1_000, 20_000]
/** Times that the index is asked for a text, and words and pairs of a text that are looked for in each message. */
const [mostLooks, mostCompared] = [3, 6]
/** Characters that are within a part of a word that the index cuts, wherever they are in the word. */
const mostWhole = longestWord / 2

/**
 * The index of words decides where a text is, or at least where it may be. A text that is part of a word is in all words that have that part:
 * the organization's words are listed, and the index knows which messages have them. Of words
 * with spaces between them it knows that these are next to each other. A message that the index does not have, or not whole, is read itself.
 */
export async function siftTexts(scope: Scope, sought: SoughtText, within: Places, few = fewMessages): Promise<Found> {
  const parts = partsOf(sought.text)
  if (parts.length === 0) return { yes: within.without(within), maybe: within }
  const pairs = pairsOf(sought.text)
  // Asked first: what is indexed meanwhile is read or found.
  const open = await notInIndex(scope, within, pairs.length > 0)
  const indexed = within.without(open)
  const { places, certain } =
    indexed.count > few
      ? await lookUp(scope, groupsOf(parts, pairs), indexed, few)
      : { places: indexed, certain: false }
  const isFound = certain && sought.in === 'text' && parts.length === 1 && isPlain(sought.text)
  const found = isFound ? { yes: places, maybe: places } : await compare(scope, sought, { parts, pairs }, places)
  return { yes: found.yes, maybe: found.maybe.or(open) }
}

/** A part of a text that the index may have. */
interface Part {
  readonly word: string
  /** Whether a word of the message may have more before it, and behind it. */
  readonly before: boolean
  readonly behind: boolean
}

/** The words of a folded text. */
function partsOf(text: string): Part[] {
  const words = queryWords(text)
  const [begins, ends] = [/^[\p{L}\p{N}\p{M}]/u.test(text), /[\p{L}\p{N}\p{M}]$/u.test(text)]
  return words.map(({ text: word, prefix }, at) => {
    // Of a longer word, a message may have any part: half of what is cut is whole in one of them.
    const isLong = !isShort(word)
    return {
      word: isLong ? [...word].slice(0, mostWhole).join('') : word,
      before: isLong || (at === 0 && begins),
      behind: isLong || prefix || (at === words.length - 1 && ends),
    }
  })
}

/** Each two words of a folded text with nothing but a space between them, as every message has them that has the text. */
function pairsOf(text: string): string[] {
  const words = [...spelled(text)]
  return words.slice(1).flatMap(({ text: word, gap }, at) => {
    const before = words[at]?.text ?? ''
    return gap === ' ' && [before, word].every(isShort) ? [`${before} ${word}`] : []
  })
}

/** The parts that are looked up together: two that are next to each other are both in the index text, or both in the rest. */
function groupsOf(parts: readonly Part[], pairs: readonly string[]): Part[][] {
  const known = new Set(pairs)
  const isNext = (part: Part | undefined, next: Part | undefined) => known.has(`${part?.word} ${next?.word}`)
  const groups = parts.flatMap((part, at) => {
    const next = parts[at + 1]
    if (next && isNext(part, next)) return [[part, next]]
    return isNext(parts[at - 1], part) ? [] : [[part]]
  })
  return longest(groups, mostLooks, (group) => group.reduce((sum, { word }) => sum + word.length, 0))
}

function longest<T>(all: readonly T[], most: number, length: (one: T) => number): T[] {
  return all.toSorted((a, b) => length(b) - length(a)).slice(0, most)
}

function isShort(word: string): boolean {
  return [...word].length <= mostWhole
}

/** Whether the text is words with spaces between them: then the index has it if the message has. Scripts without spaces are in pairs there. */
function isPlain(text: string): boolean {
  const words = queryWords(text).map((word) => word.text)
  return (
    /^[\p{L}\p{N} ]+$/u.test(text) &&
    text === words.join(' ') &&
    words.every((word) => isShort(word) && ![...word].some(isUnspaced))
  )
}

/** Messages that wait to be indexed, or of which the index has not all words, or not all pairs; all of a Private mailbox. */
async function notInIndex(scope: Scope, within: Places, hasPairs: boolean): Promise<Places> {
  const { organizationId, selected } = scope
  const { rows } = await sql<{ uids: string | null; isPrivate: boolean | null }>`
    select (
      select ${packed(sql`int4send(message.uid::integer)`)} from (
        select id as content_id from mail_search_queue where organization_id = ${organizationId}
        union all select content_id from mail_search where organization_id = ${organizationId} and (not whole${hasPairs ? sql` or not ordered` : sql``})
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
  groups: readonly (readonly Part[])[],
  within: Places,
  few: number,
): Promise<{ places: Places; certain: boolean }> {
  let [places, certain] = [within, false]
  for (const group of groups) {
    const queries: string[] = []
    for (const part of group) queries.push(...((await queryOf(scope, part)) ?? []))
    if (queries.length === 0) continue
    const hits = queries.includes('') ? new Places(within.size) : await hitsOf(scope, queries, within)
    certain ||= hits !== undefined
    if (hits) places = places.and(hits)
    if (places.count <= few) break
  }
  return { places, certain }
}

/** All words of the organization that have the part, for the index; an empty text if none has, undefined if they are too many. */
async function queryOf(scope: Scope, { word, before, behind }: Part): Promise<[string] | undefined> {
  if (!before) return [`'${word}'${behind ? ':*' : ''}`]
  const words = await listedWords(scope.db, scope.organizationId, { text: word, isEnd: !behind, most: mostWords + 1 })
  return words.length > mostWords ? undefined : [words.map((one) => `'${one}'`).join(' | ')]
}

/** The rest of a message, as it is in its index. */
const restOf = sql`rest || ' o/' || organization_id::text`

/** Undefined if they are too many. Few are looked up one by one in the folder, many compared with all of it: PostgreSQL cannot know before
 *  which they are, and would go through the folder for a single one. */
async function hitsOf(scope: Scope, queries: readonly string[], within: Places): Promise<Places | undefined> {
  const { organizationId, selected } = scope
  const query = queries.map((one) => `(${one})`).join(' & ')
  const few = Math.min(within.size >> 3, mostHits)
  const uids = packed(sql`int4send(uid::integer)`)
  const { rows } = await sql<{ hits: number; uids: string | null }>`
    with hit as materialized (
      (select content_id from mail_search
        where search_vector(words) @@ ${`${query} & '${mailboxMark(selected.mailbox.mailboxId)}'`}::tsquery and organization_id = ${organizationId} limit ${mostHits + 1})
      union
      (select content_id from mail_search
        where search_vector(${restOf}) @@ ${`${query} & 'o/${organizationId}'`}::tsquery and organization_id = ${organizationId} limit ${mostHits + 1})
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

/** What the words of each of the messages say. Of a text that is not plain they say only that it is not there. */
async function compare(
  scope: Scope,
  sought: SoughtText,
  { parts, pairs }: { parts: readonly Part[]; pairs: readonly string[] },
  places: Places,
): Promise<Found> {
  const [words, rest] =
    sought.in === 'body'
      ? [sql`split_part(search.words, E'\\n', 7)`, sql`split_part(search.rest, ${` ${restMark} `}, 1)`]
      : [sql`substr(search.words, strpos(search.words, E'\\n'))`, sql`search.rest`]
  const has = (text: string) => sql<boolean>`(strpos(${words}, ${text}) > 0 or strpos(${rest}, ${text}) > 0)`
  const compared = longest([...pairs, ...parts.map(({ word }) => word)], mostCompared, (text) => text.length)
  const hasAll = sql.join(compared.map(has), sql` and `)
  const isPlainText = isPlain(sought.text)
  const isMissing = sql<boolean>`search.words is null`
  return sift(scope, places, {
    yes: isPlainText ? sql`coalesce(${has(sought.text)}, false)` : sql`false`,
    // A plain word is there if the index has it. Of several it may have each next to the other, but not all in a row.
    open: isPlainText && parts.length === 1 ? isMissing : sql`(${isMissing} or (${hasAll}))`,
  })
}
