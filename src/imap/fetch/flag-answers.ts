import { sql } from 'kysely'
import type { Db } from '#/base/db/schema.ts'
import type { FolderRef } from '#/mail/store/folders.ts'
import { integers, packed } from '#/mail/store/packed.ts'
import { flagColumns, textOfBits } from '../selected/flags.ts'
import type { FetchItem } from './items.ts'
import { longs } from './rows.ts'

/** Messages of which flags are read in one statement: 2 ms of the embedded database. */
export const flagsAtOnce = 4_096

/** Lines that are made into one text. */
const linesAtOnce = 1_024

const itemsBesideFlags: ReadonlySet<FetchItem> = new Set(['FLAGS', 'UID', 'MODSEQ'])

/** Whether nothing but flags is asked for, as programs do of all messages of a mailbox. */
export function areOfFlags(items: readonly FetchItem[]): boolean {
  return items.every((item) => itemsBesideFlags.has(item))
}

/** The flags of messages that have all uids there are within a range. Most messages have been read and have no other flag, so
 *  for each flag there are only the messages for which that is not so. */
export interface FlagsOfRange {
  readonly count: number
  /** Bits of `flagColumns`, by uid. Others are `usualFlags`. */
  readonly flags: ReadonlyMap<number, number>
  readonly keywords: ReadonlyMap<number, readonly string[]>
  /** If they are asked for, in the order of uids. */
  readonly modseq: (index: number) => number
}

type Packed = Record<(typeof flagColumns)[number][1] | 'with_keywords' | 'keywords' | 'modseq', string | null> & {
  readonly count: number
}

const usualFlags = flagColumns.reduce((bits, [, column], bit) => bits | (isUsual(column) ? 1 << bit : 0), 0)

function isUsual(column: string): boolean {
  return column === 'seen'
}

/** Numbers of four bytes for some of the messages alone: a column for each message takes twice as long. */
const uidsWith = (condition: string) => packed(sql`int4send(uid::integer)`, sql.raw(condition))
const unusual = sql.join(
  flagColumns.map(([, column]) => sql`${uidsWith(isUsual(column) ? `not ${column}` : column)} as ${sql.ref(column)}`),
)

const columns = sql.raw(['uid', 'modseq', 'keywords', ...flagColumns.map(([, column]) => column)].join())

/** Reads the flags of the messages from one uid to another. */
export async function readFlags(
  db: Db,
  { mailbox, folderId }: FolderRef,
  { from, to }: { readonly from: number; readonly to: number },
  withModseqs: boolean,
): Promise<FlagsOfRange> {
  const modseqs = withModseqs ? packed(sql`int8send(modseq)`) : sql`null`
  const { rows } = await sql<Packed>`
    select count(*)::integer as count, ${unusual}, ${modseqs} as modseq, ${uidsWith(`keywords <> '{}'`)} as with_keywords,
      string_agg(array_to_string(keywords, ' '), E'\n') filter (where keywords <> '{}') as keywords
    from (
      select ${columns} from mail_messages where folder_id = ${folderId} and uid between ${from} and ${to} and exists (
        select from mail_folders folder
        where id = ${folderId} and organization_id = ${mailbox.organizationId} and mailbox_id = ${mailbox.mailboxId}
      ) order by uid
    ) those`.execute(db)
  const [row] = rows
  const flags = new Map<number, number>()
  for (const [bit, [, column]] of flagColumns.entries())
    for (const uid of integers(row?.[column] ?? null)) flags.set(uid, (flags.get(uid) ?? usualFlags) ^ (1 << bit))
  const lists = row?.keywords?.split('\n') ?? []
  const uids = integers(row?.with_keywords ?? null)
  const keywords = new Map(lists.map((list, index) => [uids[index] ?? 0, list.split(' ')]))
  return { count: row?.count ?? 0, flags, keywords, modseq: longs(row?.modseq ?? null) }
}

/** The responses for messages with these uids, which have sequence numbers one after the other from the first. */
export function* flagResponses(
  items: readonly FetchItem[],
  uids: readonly number[],
  first: number,
  { flags, keywords, modseq }: FlagsOfRange,
): Generator<string> {
  let text = ''
  for (const [index, uid] of uids.entries()) {
    text += `* ${first + index} FETCH (`
    let lead = ''
    for (const item of items) {
      if (item === 'UID') text += `${lead}UID ${uid}`
      else if (item === 'MODSEQ') text += `${lead}MODSEQ (${modseq(index)})`
      else text += `${lead}FLAGS ${textOfBits(flags.get(uid) ?? usualFlags, keywords.get(uid))}`
      lead = ' '
    }
    text += ')\r\n'
    if (index % linesAtOnce !== linesAtOnce - 1) continue
    yield text
    text = ''
  }
  yield text
}
