import { type RawBuilder, sql } from 'kysely'
import { relation } from '#/base/db/relation.ts'
import type { Folder } from './folders.ts'
import type { MailboxRef } from './mailbox-ref.ts'
import { normalKeywords } from './normal-keywords.ts'

export const messageFlags = ['seen', 'flagged', 'answered', 'forwarded', 'deleted', 'draft'] as const

export type MessageFlag = (typeof messageFlags)[number]

/** A change of messages of a folder. Flags are set or cleared; what is not named stays. */
export interface Change extends Readonly<Partial<Record<MessageFlag, boolean>>> {
  readonly addKeywords?: readonly string[]
  readonly removeKeywords?: readonly string[]
  /** All that the messages shall have, in place of those two. */
  readonly keywords?: readonly string[]
  /** Moves, creating the folder if needed. Every message gets a new uid there. */
  readonly folder?: string
}

/** Where a change is made, in locked folders: two if messages move. */
export interface ChangePlace {
  readonly mailbox: MailboxRef
  readonly source: Folder
  readonly target: Folder
}

/** In the statement of a change: the named messages that are there. */
export const present = relation('present', 'uid', 'seen', 'flagged', 'keywords')

/** In the same: the messages that change, with what they will be, and the keywords that they get and lose. */
export const changing = relation(
  'changing',
  ...(['uid', 'new_uid', 'seen', 'new_seen', 'flagged', 'new_flagged', 'keywords', 'new_keywords'] as const),
  ...(['added', 'removed', 'size_bytes', 'received_at'] as const),
)

/** Records a change in the statement that makes it, by CTEs that read `present` and `changing`. */
export interface Recording {
  ctes(place: ChangePlace): RawBuilder<unknown>
  /** What the change answers as `recorded`. */
  readonly answer: RawBuilder<unknown>
}

/** For a change that is not recorded. */
export const unrecorded: Recording = { ctes: () => sql`unrecorded as (select)`, answer: sql`null` }

/** A change in SQL. What it does not name is left out, since planning takes most of the time of a change of one message. */
export function changeInSql({ keywords, addKeywords = [], removeKeywords = [], ...flags }: Change) {
  const [only, added, removed] = [keywords ?? [], addKeywords, removeKeywords].map(normalKeywords)
  const rewords = keywords !== undefined || addKeywords.length + removeKeywords.length > 0
  const named = messageFlags.filter((flag) => flags[flag] !== undefined)
  const kept = messageFlags.filter((flag) => flags[flag] === undefined)
  const columns = [...messageFlags, 'keywords', ...kept.map((flag) => `${flag} as new_${flag}`)].join(', ')
  const news = named.map((flag) => sql`, ${flags[flag]}::boolean as ${sql.raw(`new_${flag}`)}`)
  // Sorted as in JavaScript: keywords are ASCII.
  const newKeywords = keywords
    ? sql`${only}::text[]`
    : sql`array(select distinct keyword collate "C" from unnest(keywords || ${added}::text[]) keyword
        where keyword <> all(${removed}::text[]) order by 1)`
  const changing = rewords ? [...named, 'keywords'] : named
  return {
    /** Columns of a message, and of what it will be. */
    columns: sql`${sql.raw(columns)}${sql.join(news, sql``)}, ${rewords ? newKeywords : sql`keywords`} as new_keywords`,
    /** Whether a message changes. */
    differs: sql.raw(changing.map((column) => `${column} <> new_${column}`).join(' or ') || 'false'),
    /** Columns of the keywords that it gets, and of those that it loses. */
    keywordColumns: rewords
      ? sql.raw(`${less('new_keywords', 'keywords')} as added, ${less('keywords', 'new_keywords')} as removed`)
      : sql`'{}'::text[] as added, '{}'::text[] as removed`,
    /** Whether its rows of keywords may change. */
    relabels: rewords || flags.seen !== undefined,
    /** Assignments, after others, of an UPDATE of `mail_messages message`. */
    assignments: sql.raw(
      [
        ...changing.map((column) => `, ${column} = new_${column}`),
        ...(flags.deleted === undefined ? [] : [deletedAt]),
      ].join(''),
    ),
    /** What its event says of the change, beside where it is; nulls are left out of that. */
    told: sql.raw(changing.map((column) => told[column] ?? '').join('')),
  }
}

const deletedAt = ', deleted_at = case when new_deleted then coalesce(message.deleted_at, now()) end'

const told: Readonly<Record<string, string>> = {
  seen: `, 'unread', nullif(not new_seen, not seen)`,
  flagged: `, 'starred', nullif(new_flagged, flagged)`,
  answered: `, 'answered', nullif(new_answered, answered)`,
  forwarded: `, 'forwarded', nullif(new_forwarded, forwarded)`,
  keywords: `, 'added_labels', nullif(added, '{}'), 'removed_labels', nullif(removed, '{}')`,
}

function less(these: string, those: string): string {
  return `array(select one from unnest(${these}) one where one <> all(${those}) order by one collate "C")`
}
