import type { ThreadIndex } from '../thread-index.ts'
import { connected, type IndexedFolder, isLater, type Member, neighbours } from './connected.ts'

// What rows of folders store of their conversations over all folders.
/** The marks of the conversation are up to date. */
const joined = 1
/** The message of the conversation that was received last; the last one in its folder. */
const newest = 2
const newestHere = 4
/** On the newest messages: whether any message of the conversation is unread. */
const unread = 8

const marksAtOnce = 32

/** The number of numbered conversations of a mailbox. Each gets a number when its rows are marked. */
export type Numbers = { last: number }

const highestNumber = 2 ** 32 - 1

/** The mark of the row that represents a conversation in a list. */
export function marksOf(wanted: { readonly folder?: string | undefined; readonly unread?: boolean | undefined }): {
  mask: number
  marks: number
} {
  const mark = wanted.folder === undefined ? newest : newestHere
  if (wanted.unread === undefined) return { mask: mark, marks: mark }
  return { mask: mark | unread, marks: mark | (wanted.unread ? unread : 0) }
}

/** Whether a row is its conversation's last received message. */
export function isNewest({ notes }: ThreadIndex, row: number): boolean {
  return (notes.marks(row) & newest) > 0
}

/** Updates the marks from the folders, in steps of a fraction of a millisecond. Folders may change between steps. */
export function* marking(folders: readonly IndexedFolder[], numbers: Numbers): Generator<void> {
  for (;;) {
    if (numbers.last === highestNumber || folders.some(({ index }) => !index.touched)) yield* markAll(folders, numbers)
    const touched = folders.flatMap(({ index: { touched = [] } }, folder) =>
      touched.splice(0).map((row): Member => ({ folder, row })),
    )
    if (touched.length === 0) return
    yield* markAgain(folders, touched, numbers)
  }
}

function* markAll(folders: readonly IndexedFolder[], numbers: Numbers): Generator<void> {
  numbers.last = 0
  for (const { index } of folders) {
    for (let row = 0; row < index.rows.count; row++) index.notes.setMarks(row, 0)
    index.touched = []
  }
  for (const [folder, { index }] of folders.entries()) {
    for (let row = 0; row < index.rows.count; row++) {
      mark(folders, { folder, row }, numbers)
      if (row % marksAtOnce === 0) yield
    }
  }
}

/** Marks the conversations that rows belong or belonged to. First it invalidates all of them, so that a conversation with
 *  many changed messages is processed once. */
function* markAgain(folders: readonly IndexedFolder[], touched: readonly Member[], numbers: Numbers): Generator<void> {
  const starts: Member[] = []
  for (const [number, member] of touched.entries()) {
    neighbours(folders, member, (start) => {
      indexOf(folders, start).notes.setMarks(start.row, 0)
      starts.push(start)
    })
    if (number % marksAtOnce === 0) yield
  }
  for (const [number, start] of starts.entries()) {
    mark(folders, start, numbers)
    if (number % marksAtOnce === 0) yield
  }
}

function mark(folders: readonly IndexedFolder[], start: Member, numbers: Numbers): void {
  const { rows, notes } = indexOf(folders, start)
  if (rows.isGone(start.row) || (notes.marks(start.row) & joined) > 0) return
  const number = Math.min(numbers.last + 1, highestNumber)
  numbers.last = number
  const last = new Map<number, Member>()
  let state = 0
  for (const member of connected(folders, start)) {
    const { rows, notes } = indexOf(folders, member)
    notes.setMarks(member.row, joined)
    notes.setConversation(member.row, number)
    if (!rows.isSeen(member.row)) state = unread
    const other = last.get(member.folder)
    if (!other || rows.isLater(member.row, other.row)) last.set(member.folder, member)
  }
  let latest: Member | undefined
  for (const member of last.values()) {
    indexOf(folders, member).notes.setMarks(member.row, joined | newestHere | state)
    if (!latest || isLater(folders, member, latest)) latest = member
  }
  if (latest) indexOf(folders, latest).notes.setMarks(latest.row, joined | newestHere | newest | state)
}

function indexOf(folders: readonly IndexedFolder[], { folder }: Member): ThreadIndex {
  return (folders[folder] as IndexedFolder).index
}
