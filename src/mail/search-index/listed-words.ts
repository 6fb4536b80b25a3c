import { sql } from 'kysely'
import type { Db, Tx } from '#/base/db/schema.ts'

/** Words that are looked up at once: some milliseconds. */
const batchSize = 200
/** Held by who adds messages to the index, and alone by who removes words. */
const lockName = 'mail_words'

/** Characters of the parts by which words are found. */
const partLength = 3

/** Some of the words of an organization's messages that have a text in them, or end with it. A text of fewer than three characters is
 *  looked for in all of its words. */
export async function listedWords(
  db: Db,
  organizationId: string,
  { text, isEnd, most }: { text: string; isEnd: boolean; most: number },
): Promise<string[]> {
  const characters = [...text]
  // As `word_parts` has them in the index.
  const parts = characters
    .slice(partLength - 1)
    .map((_, at) => organizationId.slice(-8) + characters.slice(at, at + partLength).join(''))
  // By itself, lest PostgreSQL goes through an organization that it takes for a small one.
  const listed =
    parts.length === 0
      ? sql`mail_words`
      : sql`(select organization_id, word from mail_words where word_parts(organization_id, word) @> ${parts}::text[] offset 0)`
  const { rows } = await sql<{ words: string[] | null }>`
    select json_agg(word) as words from (
      select word from ${listed} listed where organization_id = ${organizationId} and strpos(word, ${text}) > 0
        ${isEnd ? sql`and right(word, ${characters.length}::integer) = ${text}` : sql``}
      limit ${most}
    ) found`.execute(db)
  return rows[0]?.words ?? []
}

/** Within the statement that adds messages with listed words to the index: none of them is removed before it has. */
export const listingWords = sql`select pg_advisory_xact_lock_shared(hashtextextended(${sql.lit(lockName)}, 0))`

/** Removes words that no message has any more, of the `nth` of `of` parts of all words: those of deleted messages are not kept. */
export async function forgetWords(db: Db, { nth, of }: { nth: number; of: number }): Promise<void> {
  for (let after: Listed | undefined; ; ) {
    const { rows } = await sql<Listed>`
      select organization_id as "organizationId", word from mail_words
      where abs(hashtext(word) % ${of}::integer) = ${nth}::integer
        ${after ? sql`and (organization_id, word) > (${after.organizationId}::uuid, ${after.word})` : sql``}
      order by organization_id, word limit ${batchSize}`.execute(db)
    after = rows.at(-1)
    if (!after) return
    await db.transaction().execute((tx) => removeUnused(tx, rows))
  }
}

interface Listed {
  readonly organizationId: string
  readonly word: string
}

/** The lock comes in a statement of its own, so that the next sees all that was added before. */
async function removeUnused(tx: Tx, words: readonly Listed[]): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${sql.lit(lockName)}, 0))`.execute(tx)
  const isIn = (column: 'words' | 'rest') => sql`exists (
    select from mail_search search
    where search_vector(${sql.ref(`search.${column}`)}) @@ ('''' || listed.word || '''')::tsquery
      and search.organization_id = listed.organization_id
  )`
  await sql`
    delete from mail_words listed
    using unnest(${words.map(({ organizationId }) => organizationId)}::uuid[], ${words.map(({ word }) => word)}::text[])
      as candidate (organization_id, word)
    where listed.organization_id = candidate.organization_id and listed.word = candidate.word
      and not ${isIn('words')} and not ${isIn('rest')}`.execute(tx)
}
