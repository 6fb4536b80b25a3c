import { type RawBuilder, sql } from 'kysely'
import type { SearchKey } from './program.ts'

/** Whether a message is found: over `mail_messages message`, for keys that its row decides. */
export function condition(key: SearchKey, now: number): RawBuilder<boolean> {
  switch (key.kind) {
    case 'all':
      return key.of.length === 0 ? sql`true` : joined(key.of, sql` and `, now)
    case 'either':
      return key.of.length === 0 ? sql`false` : joined(key.of, sql` or `, now)
    case 'not':
      return sql`(not ${condition(key.of, now)})`
    case 'seen':
    case 'flagged':
    case 'answered':
    case 'forwarded':
    case 'deleted':
    case 'draft':
      return sql`${sql.ref(`message.${key.kind}`)}`
    case 'keyword':
      return sql`(${key.keyword}::text = any(message.keywords))`
    case 'received':
      return between(sql`message.received_at`, key)
    case 'saved':
      return between(sql`message.saved_at`, key)
    case 'older':
      return sql`(message.received_at <= ${time(now - 1000 * key.seconds)})`
    case 'younger':
      return sql`(message.received_at >= ${time(now - 1000 * key.seconds)})`
    case 'larger':
      return sql`(message.size_bytes > ${key.octets}::bigint)`
    case 'smaller':
      return sql`(message.size_bytes < ${key.octets}::bigint)`
    case 'modseq':
      return sql`(message.modseq >= ${key.least}::bigint)`
    case 'email':
      return sql`(coalesce(message.email_id, message.id) = ${key.id}::bigint)`
    case 'set':
    case 'thread':
    case 'content':
      throw new Error(`no row decides about ${key.kind}`)
  }
}

function joined(keys: readonly SearchKey[], by: RawBuilder<unknown>, now: number): RawBuilder<boolean> {
  return sql`(${sql.join(
    keys.map((key) => condition(key, now)),
    by,
  )})`
}

function between(column: RawBuilder<Date>, { from, before }: { from?: number; before?: number }): RawBuilder<boolean> {
  const since = from === undefined ? sql`true` : sql`${column} >= ${time(from)}`
  const until = before === undefined ? sql`true` : sql`${column} < ${time(before)}`
  return sql`(${since} and ${until})`
}

/** Of a number that may be beyond what the database can have. */
function time(at: number): RawBuilder<Date> {
  return sql`${new Date(Math.max(earliest, at))}::timestamptz`
}

const earliest = Date.UTC(1, 0, 1)
