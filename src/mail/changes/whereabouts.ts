import { sql } from 'kysely'
import type { Db } from '#/base/db/schema.ts'
import { short } from '#/base/db/short.ts'

/** The current place of messages of a part by recorded changes: in one folder. */
export interface Whereabouts {
  readonly key: number
  readonly folder: string
  /** Their uids there, by their uids in the part. */
  readonly uids: ReadonlyMap<number, number>
}

interface Asked {
  readonly id: number
  readonly mailbox_id: string
  readonly folder_key: number
  readonly folder: string
}

interface Move {
  readonly folder_key: number
  readonly folder: string
  readonly uids: readonly number[]
  readonly from_key: number
  readonly from_uids: readonly number[]
}

/** Follows messages through recorded moves after the part. Uids are never reused, so a message is where its last recorded
 *  move left it, or its place is unknown. */
export async function whereabouts(db: Db, part: Asked, uids: readonly number[]): Promise<Whereabouts[]> {
  const settled = new Map<number, Whereabouts & { uids: Map<number, number> }>()
  let moving: Whereabouts[] = [
    { key: part.folder_key, folder: part.folder, uids: new Map(uids.map((uid) => [uid, uid])) },
  ]
  while (moving.length > 0) {
    const moves = await movesFrom(db, part, moving)
    const next: Whereabouts[] = []
    for (const { key, folder, uids: here } of moving) {
      const left = new Set<number>()
      for (const move of moves) {
        if (move.from_key !== key) continue
        const there = new Map(move.from_uids.map((uid, index) => [uid, move.uids[index] ?? 0]))
        const gone = [...here].flatMap(([uid, now]) => (there.has(now) ? [[uid, there.get(now) ?? 0] as const] : []))
        for (const [uid] of gone) left.add(uid)
        if (gone.length > 0) next.push({ key: move.folder_key, folder: move.folder, uids: new Map(gone) })
      }
      const known = settled.get(key) ?? { key, folder, uids: new Map() }
      for (const [uid, now] of here) if (!left.has(uid)) known.uids.set(uid, now)
      if (known.uids.size > 0) settled.set(key, known)
    }
    moving = next
  }
  return [...settled.values()]
}

/** Moves of messages out of their current folders. */
async function movesFrom(db: Db, { id, mailbox_id }: Asked, places: readonly Whereabouts[]): Promise<Move[]> {
  const uids = places.flatMap((place) => [...place.uids.values()])
  const { rows } = await sql<Move>`
    select folder_key, folder, uids, from_key, from_uids from change_parts
    where mailbox_id = ${mailbox_id} and from_key = any(${places.map(({ key }) => key)}::bigint[]) and id > ${id}
      and from_uids && ${uids}::bigint[]
    order by id`.execute(short(db))
  return rows
}
