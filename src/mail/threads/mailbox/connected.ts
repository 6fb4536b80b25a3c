import type { FolderState } from '#/mail/store/folders.ts'
import type { ThreadIndex } from '../thread-index.ts'

/** A folder's index among those of its mailbox. */
export interface IndexedFolder {
  readonly name: string
  /** The folder's state in the index. */
  readonly state: FolderState
  readonly index: ThreadIndex
}

/** A message of one of several folders, by their numbers. */
export interface Member {
  readonly folder: number
  readonly row: number
}

type Visit = (folder: number, root: number) => void

/** How a row has an id. A message without a Message-ID is known in other folders by its arrival only. */
const [own, strong, weak, byArrival] = [0, 1, 2, 3] as const
type Bond = typeof own | typeof strong | typeof weak | typeof byArrival

/** All messages of a conversation over several folders, in no order: threads of single folders that share an id
 *  (docs/threads.md#how-are-they-found-across-folders). Takes one lookup per folder and id. */
export function connected(folders: readonly IndexedFolder[], start: Member): Member[] {
  const members: Member[] = []
  const threads: { folder: number; root: number }[] = []
  const met = new Set<number>()
  const visit: Visit = (folder, root) => {
    const place = root * folders.length + folder
    if (met.has(place) || indexOf(folders, folder).conversations.head(root) < 0) return
    met.add(place)
    threads.push({ folder, root })
  }
  const first = indexOf(folders, start.folder)
  visit(start.folder, first.conversations.root(first.rows.node(start.row)))
  // Grows during the loop.
  for (const { folder, root } of threads) {
    const index = indexOf(folders, folder)
    const followed = new Set<number>()
    for (const row of index.conversations.rows(root)) {
      members.push({ folder, row })
      forBonds(index, row, (node, bond) => {
        const known = 4 * node + bond
        if (followed.has(known)) return
        followed.add(known)
        follow(folders, { folder, node, bond }, visit)
      })
    }
  }
  return members
}

/** Finds a message of each thread that a row touches or touched, and perhaps of some others. */
export function neighbours(
  folders: readonly IndexedFolder[],
  { folder, row }: Member,
  found: (start: Member) => void,
): void {
  const visit: Visit = (at, root) => {
    const head = indexOf(folders, at).conversations.head(root)
    if (head >= 0) found({ folder: at, row: head })
  }
  const index = indexOf(folders, folder)
  visit(folder, index.conversations.root(index.rows.node(row)))
  forBonds(index, row, (node) => {
    for (let at = 0; at < folders.length; at++) {
      const other = indexOf(folders, at)
      const there = nodeIn(other, index, node)
      if (there === undefined) continue
      visit(at, other.conversations.root(there))
      visitWaiting(at, other, there, visit)
    }
  })
}

/** A message of the conversation of an id, by its hash. */
export function startOf(folders: readonly IndexedFolder[], hash: Buffer): Member | undefined {
  const [low, high] = [hash.readUInt32LE(0), hash.readUInt32LE(4)]
  for (const [folder, { index }] of folders.entries()) {
    const node = index.ids.find(low, high)
    if (node === undefined) continue
    const head = index.conversations.head(index.conversations.root(node))
    if (head >= 0) return { folder, row: head }
    // Only a message without a Message-ID has such an id.
    const row = index.named
      .weaklyNaming(node)
      .find((one) => arrivalNode(index, one) === node && !index.rows.isGone(one))
    if (row !== undefined) return { folder, row }
  }
  return undefined
}

/** Whether `a` was received after `b`; of two received at once, the folder whose name comes later, and the higher uid. */
export function isLater(folders: readonly IndexedFolder[], a: Member, b: Member): boolean {
  const [one, other] = [folders[a.folder] as IndexedFolder, folders[b.folder] as IndexedFolder]
  if (one === other) return one.index.rows.isLater(a.row, b.row)
  const difference = one.index.rows.receivedAt(a.row) - other.index.rows.receivedAt(b.row)
  return difference > 0 || (difference === 0 && one.name > other.name)
}

/** The hash of the id that a row names a conversation by. */
export function claimedRoot(index: ThreadIndex, row: number): Buffer {
  return index.ids.bytesOf(index.named.firstStrong(row) ?? arrivalNode(index, row) ?? index.rows.node(row))
}

function forBonds(index: ThreadIndex, row: number, bear: (node: number, bond: Bond) => void): void {
  const arrival = arrivalNode(index, row)
  if (arrival === undefined) bear(index.rows.node(row), own)
  else bear(arrival, byArrival)
  const end = index.named.end(row)
  for (let place = index.named.start(row); place < end; place++) {
    const node = index.named.node(place)
    if (node !== arrival) bear(node, index.named.isWeak(place) ? weak : strong)
  }
}

/** Undefined for a message with a Message-ID. */
function arrivalNode(index: ThreadIndex, row: number): number | undefined {
  if (!index.rows.isNameless(row)) return undefined
  let place = index.named.start(row)
  while (!index.named.isWeak(place)) place++
  return index.named.node(place)
}

function follow(
  folders: readonly IndexedFolder[],
  { folder, node, bond }: { folder: number; node: number; bond: Bond },
  visit: Visit,
): void {
  const index = indexOf(folders, folder)
  for (let at = 0; at < folders.length; at++) {
    // Within a folder its own index has connected messages, except by arrival.
    if (at === folder && bond !== byArrival) continue
    const other = indexOf(folders, at)
    const there = nodeIn(other, index, node)
    if (there === undefined) continue
    if (bond === own || bond === byArrival) visitWaiting(at, other, there, visit)
    if (bond === own || bond === strong || (bond === weak && other.holds(there))) {
      visit(at, other.conversations.root(there))
    }
  }
}

/** The node in this index for a node of another one. */
function nodeIn({ ids }: ThreadIndex, other: ThreadIndex, node: number): number | undefined {
  const [low, high] = other.ids.hash(node)
  return ids.find(low, high)
}

function visitWaiting(at: number, index: ThreadIndex, node: number, visit: Visit): void {
  for (const row of index.named.weaklyNaming(node)) {
    if (!index.rows.isGone(row)) visit(at, index.conversations.root(index.rows.node(row)))
  }
}

function indexOf(folders: readonly IndexedFolder[], folder: number): ThreadIndex {
  return (folders[folder] as IndexedFolder).index
}
