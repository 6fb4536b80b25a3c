import { type CopiedTo, copyMessages } from '#/mail/store/copy.ts'
import { expungeAt } from '#/mail/store/expunge.ts'
import type { FolderRef } from '#/mail/store/folders.ts'
import { moveMessages } from '#/mail/store/move.ts'
import type { OpenFolder } from '../selected/open-folder.ts'
import type { Handler, Session } from '../session/session.ts'
import type { Command } from '../wire/arguments.ts'
import { rangesOf, sequenceSet, statusLine } from '../wire/format.ts'
import { inSteps } from './steps.ts'
import { assertRoom, changeable, targetNamed } from './target.ts'

/** COPY and UID COPY (RFC 9051, section 6.4.7). A copy of many messages goes in steps; if one fails, the copies made before are taken away. */
export const copy: Handler = async (session, command) => {
  const { uids, targetName } = readCopy(command, session.needSelected())
  const target = await targetNamed(session, targetName)
  await assertRoom(session, target)
  const copied = new Copied()
  const { db } = session.parts
  const selected = session.needSelected()
  try {
    await inSteps(session, command, uids, async (some) => {
      copied.add(await db.transaction().execute((tx) => copyMessages(tx, selected, some, target, session.user.by)))
    })
  } catch (error) {
    await inSteps(session, command, copied.to, async (some) => {
      await db.transaction().execute((tx) => expungeAt(tx, target, some, session.user.by))
    })
    throw error
  }
  if (copied.isEmpty) return { text: 'No messages to copy' }
  return { text: 'Copy completed', code: copied.code(target) }
}

/** MOVE and UID MOVE (RFC 6851). Each step is all or nothing. The uids are told before the messages are expunged, which is told after
 *  the command, as whatever else has changed. */
export const move: Handler = async (session, command) => {
  const selected = changeable(session)
  const { uids, targetName } = readCopy(command, selected)
  const target = await targetNamed(session, targetName)
  const moved = new Copied()
  let modseq = 0
  try {
    await inSteps(session, command, uids, async (some) => {
      const done = await session.parts.db
        .transaction()
        .execute((tx) => moveMessages(tx, selected, some, target, session.user.by))
      moved.add(done)
      modseq = done.modseq
    })
  } finally {
    if (!moved.isEmpty) await session.output.write(statusLine('*', 'OK', 'Moved', moved.code(target)))
  }
  if (moved.isEmpty) return { text: 'No messages to move' }
  return { text: 'Move completed', ...highest(session, modseq) }
}

/** The code by which a client that keeps modification sequences knows that it was told of everything before, if anything was expunged (RFC
 *  7162, sections 3.2.7 to 3.2.9). */
export function highest({ enabled }: Session, modseq: number | undefined): { code?: string } {
  return enabled.has('CONDSTORE') && modseq !== undefined ? { code: `HIGHESTMODSEQ ${modseq}` } : {}
}

function readCopy({ args, name }: Command, { messages, savedSearch }: OpenFolder) {
  args.space()
  const set = args.sequenceSet()
  args.space()
  const targetName = args.mailbox()
  args.end()
  const ranges = messages.uidRanges(set, name.startsWith('UID ') ? 'uid' : 'sequence', savedSearch)
  return { targetName, uids: messages.uidsIn(ranges) }
}

/** The uids of what was copied, for COPYUID (RFC 4315, section 3). */
class Copied {
  readonly #from: number[] = []
  readonly to: number[] = []

  add({ from, to }: CopiedTo): void {
    this.#from.push(...from)
    this.to.push(...to)
  }

  get isEmpty(): boolean {
    return this.to.length === 0
  }

  code({ folderId }: FolderRef): string {
    const [from, to] = [this.#from, this.to].map((uids) => sequenceSet(rangesOf(uids)))
    return `COPYUID ${folderId} ${from} ${to}`
  }
}
