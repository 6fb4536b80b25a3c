import type { Numbered } from '../index/folder-rows.ts'

/** Where a message is. */
export interface Placed {
  readonly folder: string
  readonly uid: number
}

/** A message of an index. */
export type Indexed = Placed & Numbered

/** In the order of the places. */
export function uidsByFolder(placed: Iterable<Placed>): Map<string, number[]> {
  const byFolder = new Map<string, number[]>()
  for (const { folder, uid } of placed) {
    const uids = byFolder.get(folder)
    if (uids) uids.push(uid)
    else byFolder.set(folder, [uid])
  }
  return byFolder
}
