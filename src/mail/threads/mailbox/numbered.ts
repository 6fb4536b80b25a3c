import type { IndexedFolder } from './connected.ts'
import type { Placed } from './placed.ts'

// Conversations of a mailbox by the numbers that its rows note.

/** Of messages, by folder. Passes over messages that are gone. */
export function numbersOf(
  folders: readonly IndexedFolder[],
  messages: ReadonlyMap<string, readonly number[]>,
): Set<number> {
  const found = new Set<number>()
  for (const { name, index } of folders) {
    for (const uid of messages.get(name) ?? []) {
      const row = index.rows.find(uid)
      if (row !== undefined) found.add(index.notes.conversation(row))
    }
  }
  return found
}

/** Of all with a message from an address, as participants are shown. */
export function numbersWith(folders: readonly IndexedFolder[], participant: string): Set<number> {
  const found = new Set<number>()
  for (const { index } of folders) {
    const sender = index.senders.find(participant)
    if (sender === undefined) continue
    for (let row = 0; row < index.rows.count; row++) {
      if (index.rows.sender(row) === sender && !index.rows.isGone(row)) found.add(index.notes.conversation(row))
    }
  }
  return found
}

/** Forgets judgements by other rules than this one. */
export function judgeBy(folders: readonly IndexedFolder[], rule: string): void {
  for (const { index } of folders) index.notes.judgeBy(rule)
}

/** Notes a judgement of a message by a rule, for as long as its folder is in memory. */
export function judge(
  folders: readonly IndexedFolder[],
  rule: string,
  { folder, uid }: Placed,
  judgement: number,
): void {
  const there = folders.find(({ name }) => name === folder)?.index
  const row = there?.rows.find(uid)
  if (there && row !== undefined) there.notes.judge(rule, row, judgement)
}
