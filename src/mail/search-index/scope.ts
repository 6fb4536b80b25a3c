import type { SearchTree } from '#/mail/search-index/query.ts'

const leftOut: ReadonlySet<string> = new Set(['junk', 'trash'])

/** The terms that must all hold. */
export function musts(tree: SearchTree): readonly SearchTree[] {
  return tree.kind === 'all' ? tree.of.flatMap(musts) : [tree]
}

/** Whether a query can find anything in a folder. Unless it has `in:`, junk and trash are left out. */
export function searchesFolder(tree: SearchTree): (name: string) => boolean {
  const only = musts(tree).flatMap((one) => (one.kind === 'folder' && one.name !== null ? one.name : []))
  const everywhere = namesFolder(tree)
  return (name) => only.every((one) => one === name) && (everywhere || !leftOut.has(name))
}

function namesFolder(tree: SearchTree): boolean {
  if (tree.kind === 'all' || tree.kind === 'either') return tree.of.some(namesFolder)
  return tree.kind === 'not' ? namesFolder(tree.of) : tree.kind === 'folder'
}

/** Between which times a message must be received that a query finds: not before `since`, and before `until`. */
export function timesOf(tree: SearchTree, now: Date): { since: Date | undefined; until: Date | undefined } {
  const [since, until]: [number[], number[]] = [[], []]
  for (const one of musts(tree)) {
    if (one.kind === 'after' || one.kind === 'newer_than') since.push(timeOf(one, now).getTime())
    if (one.kind === 'before' || one.kind === 'older_than') until.push(timeOf(one, now).getTime())
  }
  return {
    since: since.length > 0 ? new Date(Math.max(...since)) : undefined,
    until: until.length > 0 ? new Date(Math.min(...until)) : undefined,
  }
}

/** Midnight of a day, or the time so long before `now`, not before 1970. A month before the 31st is the last day of a shorter one. */
export function timeOf(
  tree: Extract<SearchTree, { kind: 'before' | 'after' | 'older_than' | 'newer_than' }>,
  now: Date,
): Date {
  if ('day' in tree) return new Date(`${tree.day}T00:00:00Z`)
  const time = new Date(now)
  const day = time.getUTCDate()
  if (tree.unit === 'd' || tree.unit === 'w') time.setUTCDate(day - tree.amount * (tree.unit === 'w' ? 7 : 1))
  else {
    time.setUTCMonth(time.getUTCMonth() - tree.amount * (tree.unit === 'y' ? 12 : 1))
    if (time.getUTCDate() !== day) time.setUTCDate(0)
  }
  return time.getTime() > 0 ? time : new Date(0)
}
