import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Db } from '#/base/db/schema.ts'
import { idHash, idHashKey } from '#/formats/mime/id-hash.ts'
import { folderChanges } from '#/mail/store/changes.ts'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'
import { FolderIndex } from '#/mail/threads/folder-index.ts'
import { HoldWatch } from '#test/world/observe/hold-watch.ts'

export interface Build {
  readonly ms: number
  /** CPU time of this process, in milliseconds. */
  readonly cpu: number
  /** Of the time, what was not reading, in percent. */
  readonly grouping: number
  /** The longest hold of the event loop, in milliseconds. */
  readonly hold: number
  /** Memory of the index for each message. */
  readonly bytes: number
}

/** Builds the index of an inbox some times over, as the first request for it does. */
export async function buildIndexes(
  db: Db,
  mailbox: MailboxRef,
  { rounds, before = async () => {} }: { rounds: number; before?: () => Promise<unknown> },
): Promise<Build[]> {
  const builds: Build[] = []
  for (let round = 0; round < rounds; round++) {
    await before()
    builds.push(await build(db, mailbox))
  }
  return builds
}

async function build(db: Db, mailbox: MailboxRef): Promise<Build> {
  const kept: FolderIndex[] = []
  const { messages, ...times } = await timed(db, mailbox, kept)
  const held = memoryHeld()
  // The memory before would not do: the process lets go of other things while it reads.
  kept.length = 0
  return { ...times, bytes: (held - memoryHeld()) / messages }
}

/** The index built is put into `kept`: no variable here holds it once this has returned. */
async function timed(db: Db, mailbox: MailboxRef, kept: FolderIndex[]) {
  const key = idHashKey('any')
  let reading = 0
  const folder = new FolderIndex({
    async changes(since) {
      const start = performance.now()
      const step = await folderChanges(db, mailbox, 'inbox', since)
      reading += performance.now() - start
      return step
    },
    hash: (name) => idHash(key, name),
  })
  kept.push(folder)
  collectGarbage()
  const start = performance.now()
  const cpuBefore = process.cpuUsage()
  using watch = new HoldWatch()
  const { index } = await folder.upToDate()
  const ms = performance.now() - start
  const { user, system } = process.cpuUsage(cpuBefore)
  const hold = await watch.settle()
  const cpu = (user + system) / 1_000
  return { messages: index.messages, ms, cpu, grouping: (100 * (ms - reading)) / ms, hold }
}

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

function memoryHeld(): number {
  // Once more for the buffers that the first time has found to be garbage.
  for (let times = 0; times < 2; times++) collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
