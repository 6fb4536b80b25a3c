import type { SearchTree } from '#/ports/search.ts'
import { timeOf } from './operators.ts'

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
