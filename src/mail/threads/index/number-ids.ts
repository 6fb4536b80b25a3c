import type { ThreadRows } from '#/mail/store/changes.ts'
import type { FolderRows } from './folder-rows.ts'
import type { IdTable } from './id-table.ts'
import type { NamedIds } from './named-ids.ts'
import type { SenderTable } from './sender-table.ts'

interface Tables {
  readonly ids: IdTable
  readonly rows: FolderRows
  readonly senders: SenderTable
  readonly named: NamedIds
}

/** What messages without a Message-ID are named after. */
export interface MadeUpIds {
  readonly uidValidity: number
  /** A hash that no id in a message can have. */
  hash(name: string): Buffer
}

/** Turns the senders and ids of new rows, from the row `first` on, into numbers. */
export function numberIds(tables: Tables, added: ThreadRows, first: number, madeUp: MadeUpIds): void {
  const { ids, rows, senders, named } = tables
  const [own, strong, weak] = [words(added.id), words(added.strong), words(added.weak)]
  named.reserve(rows.count, (strong.length + weak.length) / 2 + namelessIn(own))
  ids.expect((strong.length + weak.length) / 2)
  const made = (name: string) => {
    const hash = madeUp.hash(name)
    return ids.intern(hash.readUInt32LE(0), hash.readUInt32LE(4))
  }
  let [sender, strongAt, weakAt] = [0, 0, 0]
  for (let index = 0; index < added.uid.length; index++) {
    const row = first + index
    const length = added.senderLength[index] as number
    const [low, high] = [own[2 * index] as number, own[2 * index + 1] as number]
    const isNameless = low === 0 && high === 0
    const node = isNameless ? made(`${madeUp.uidValidity} ${added.uid[index]}`) : ids.intern(low, high)
    rows.describe(row, senders.intern(added.sender, sender, length), node, isNameless)
    sender += length
    const strongEnd = strongAt + (added.strongLength[index] as number) / 4
    for (; strongAt < strongEnd; strongAt += 2) {
      named.addStrong(ids.intern(strong[strongAt] as number, strong[strongAt + 1] as number))
    }
    if (isNameless) {
      // By this it is known in other folders. No message has it as its id, so as a weak one it connects nothing in this folder.
      named.addWeak(made(`${rows.receivedAt(row)} from ${senders.text(rows.sender(row))}`), row)
    }
    const weakEnd = weakAt + (added.weakLength[index] as number) / 4
    for (; weakAt < weakEnd; weakAt += 2) {
      named.addWeak(ids.intern(weak[weakAt] as number, weak[weakAt + 1] as number), row)
    }
    named.close(row)
  }
}

function namelessIn(own: Uint32Array): number {
  let nameless = 0
  for (let at = 0; at < own.length; at += 2) if (own[at] === 0 && own[at + 1] === 0) nameless++
  return nameless
}

/** Hashes as pairs of 32-bit words. */
function words(hashes: Buffer): Uint32Array {
  return new Uint32Array(new Uint8Array(hashes).buffer)
}
