import { type RawBuilder, sql } from 'kysely'
import { bytes, integers, packed } from '#/mail/store/packed.ts'
import { flagColumns, type StoredFlags } from './flags.ts'

/** A message whose flags may have changed. */
export interface ChangedMessage extends StoredFlags {
  readonly uid: number
  readonly modseq: number
}

/** Where a reader of changed messages goes on: they come in the order of modification sequence and uid. */
export interface ChangeCursor {
  readonly modseq: number
  readonly uid: number
}

export interface Changed {
  readonly messages: readonly ChangedMessage[]
  /** Undefined after the last. */
  readonly next: ChangeCursor | undefined
}

/** Messages that are read at a time. */
const most = 1_000

/** Columns of one row: those in the folder with this id behind a place, up to a modification sequence and below a uid. */
export function changedMessages(
  folderId: RawBuilder<unknown>,
  { after, until, below }: { after: ChangeCursor; until?: number; below: number | RawBuilder<unknown> },
): RawBuilder<unknown> {
  const columns = flagColumns.map(([, column]) => sql.ref(column))
  const flags = sql.join(
    columns.map((column) => sql`boolsend(${column})`),
    sql` || `,
  )
  return sql`
    select ${packed(sql`int4send(uid::integer)`)} as changed_uid, ${packed(sql`int8send(modseq)`)} as changed_modseq,
      ${packed(flags)} as changed_flags, case when bool_or(keywords <> '{}') then json_agg(keywords) end as changed_keywords
    from (
      select uid, modseq, keywords, ${sql.join(columns)} from mail_messages
      where folder_id = ${folderId} and modseq >= ${after.modseq} and (modseq > ${after.modseq} or uid > ${after.uid})
        ${until === undefined ? sql`` : sql`and modseq <= ${until}`} and uid < ${below}
      order by modseq, uid limit ${most}
    ) changed`
}

export interface ChangedRow {
  readonly changed_uid: string | null
  readonly changed_modseq: string | null
  readonly changed_flags: string | null
  readonly changed_keywords: readonly string[][] | null
}

export function changedIn(row: ChangedRow): Changed {
  const [uids, halves, flags] = [integers(row.changed_uid), integers(row.changed_modseq), bytes(row.changed_flags)]
  const messages = Array.from(uids, (uid, index): ChangedMessage => {
    const at = (column: number) => flags[index * flagColumns.length + column] === 1
    const columns = Object.fromEntries(flagColumns.map(([, name], column) => [name, at(column)]))
    return {
      uid,
      modseq: (halves[2 * index] ?? 0) * 2 ** 32 + (halves[2 * index + 1] ?? 0),
      keywords: row.changed_keywords?.[index] ?? [],
      ...(columns as Record<(typeof flagColumns)[number][1], boolean>),
    }
  })
  const last = messages.at(-1)
  return { messages, next: last && messages.length === most ? { modseq: last.modseq, uid: last.uid } : undefined }
}
