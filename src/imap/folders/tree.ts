import type { Level } from '#/http/access/caller.ts'
import { folderName } from '#/mail/store/folder-name.ts'
import type { Session } from '../session/session.ts'
import { imapName, separator, sharedName, sharedPath, sharedRoot } from './names.ts'
import { sharedWith } from './shares.ts'
import { type StoredFolder, storedFolders } from './stored.ts'

/** A name in the hierarchy that a user sees. */
export interface Node {
  readonly name: string
  readonly level: Level | 'own'
  /** Undefined for what has only others within it. */
  readonly folder: StoredFolder | undefined
}

/** All that a user sees: the own folders with INBOX first, then those of shared mailboxes, and what they are within. By name. */
export async function treeOf({ parts: { db }, user: { mailbox } }: Session): Promise<Map<string, Node>> {
  const shares = await sharedWith(db, mailbox)
  const shareOf = new Map(shares.map((share) => [share.id, share]))
  const folders = await storedFolders(db, mailbox, [mailbox.mailboxId, ...shareOf.keys()])
  const nodes: Node[] = []
  for (const folder of folders) {
    const share = shareOf.get(folder.mailboxId)
    const name = share ? sharedName(share.address, folder.name) : imapName(folder.name)
    // An own folder that is called like a shared mailbox cannot be named.
    if (!share && sharedPath(name)) continue
    nodes.push({ name, level: share?.level ?? 'own', folder })
  }
  for (const { address, level } of shares)
    nodes.push({ name: [sharedRoot, address].join(separator), level, folder: undefined })
  return withParents(nodes)
}

function withParents(nodes: readonly Node[]): Map<string, Node> {
  const tree = new Map<string, Node>()
  for (const node of nodes) if (node.folder || !tree.has(node.name)) tree.set(node.name, node)
  for (const { name, level } of nodes) {
    for (const parent of parentsOf(name)) {
      if (tree.has(parent) || !readsAsItself(parent)) continue
      tree.set(parent, { name: parent, level, folder: undefined })
    }
  }
  return new Map([...tree].toSorted(([, a], [, b]) => inOrder(a, b)))
}

/** `sent` in front of `sent/2024` is not listed, since it is read as the standard folder, which has another name. */
function readsAsItself(name: string): boolean {
  const path = sharedPath(name)?.path ?? name
  return path === '' || imapName(folderName(path)) === path
}

/** INBOX comes first, as programs show it, and shared mailboxes last: of several folders with a use, such as Trash, some take the first. */
function inOrder(a: Node, b: Node): number {
  if (rank(a) !== rank(b)) return rank(a) - rank(b)
  return a.name < b.name ? -1 : 1
}

function rank({ name, level }: Node): number {
  if (name === 'INBOX') return 0
  return level === 'own' ? 1 : 2
}

/** `a/b` and `a` for `a/b/c`. */
export function parentsOf(name: string): string[] {
  const steps = name.split(separator)
  return steps.slice(1).map((_, index) => steps.slice(0, steps.length - 1 - index).join(separator))
}
