import type { Did, Held } from '#/mail/recording.ts'
import type { Place } from '#/mail/update.ts'

/** A difference made to a message or to many. */
export interface Difference {
  /** Null if unchanged. */
  readonly seen: boolean | null
  readonly flagged: boolean | null
  readonly added: readonly string[]
  readonly removed: readonly string[]
}

/** Messages of one folder that were changed in the same way: a row of change_parts. */
export interface Part extends Difference {
  readonly mailbox_id: string
  readonly folder_key: number
  readonly folder: string
  readonly uids: number[]
  /** Null if they were not moved. */
  readonly from_key: number | null
  readonly from_folder: string | null
  readonly from_uids: number[] | null
}

/** The messages' places after a change. */
export function placesAfter({ source, target: { name: folder }, present, pairs }: Did): Map<number, Place> {
  if (source.name === folder) return new Map(present.map(({ uid }) => [uid, { folder, uid }]))
  return new Map(pairs.map(({ before, after }) => [before.uid, { folder, uid: after.uid }]))
}

/** The parts of a step. */
export function partsOf({ mailbox, source, target, pairs }: Did): Part[] {
  const alike = Map.groupBy(pairs, ({ before, after }) => JSON.stringify(differenceOf(before, after)))
  const moved = source.key !== target.key || source.name !== target.name
  return Array.from(alike, ([difference, those]) => ({
    mailbox_id: mailbox.mailboxId,
    folder_key: target.key,
    folder: target.name,
    uids: those.map(({ after }) => after.uid),
    from_key: moved ? source.key : null,
    from_folder: moved ? source.name : null,
    from_uids: moved ? those.map(({ before }) => before.uid) : null,
    ...(JSON.parse(difference) as Difference),
  }))
}

function differenceOf(before: Held, after: Held): Difference {
  return {
    seen: before.seen === after.seen ? null : after.seen,
    flagged: before.flagged === after.flagged ? null : after.flagged,
    added: after.keywords.filter((keyword) => !before.keywords.includes(keyword)),
    removed: before.keywords.filter((keyword) => !after.keywords.includes(keyword)),
  }
}
