import type { FolderState } from '#/ports/folder-changes.ts'
import { timeouts } from '../client/connection.ts'
import { Fetched } from '../client/fetch.ts'
import { atomsOf, bytesOf, type Data } from '../client/response.ts'
import type { ImapSession } from '../client/session.ts'
import { numbersIn } from '../client/syntax.ts'

/** Changed and expunged messages among those of a reader. */
export interface Delta {
  /** Whether the message is seen, by uid. */
  readonly flags: ReadonlyMap<number, boolean>
  readonly gone: readonly number[]
  /** The highest modification sequence among the changes. */
  readonly modseq: number
}

export const noDelta: Delta = { flags: new Map(), gone: [], modseq: 0 }

/** With more expunged messages the reader starts again. */
const mostGone = 1_000_000

/** RFC 7162, section 3.2.6. Undefined if too many messages are expunged. Messages expunged meanwhile are recorded with the
 *  selected folder. */
export async function readDelta({ connection, qresync }: ImapSession, since: FolderState): Promise<Delta | undefined> {
  if (since.uidNext === 1) return noDelta
  const flags = new Map<number, boolean>()
  let gone: number[] | undefined = []
  let modseq = 0
  const onData = (data: Data) => {
    if (isEarlier(data)) {
      const more = numbersIn(bytesOf(data.values[1])?.toString('latin1') ?? '', mostGone)
      gone = gone && more && gone.length + more.length <= mostGone ? gone.concat(more) : undefined
      return true
    }
    if (data.name !== 'FETCH') return false
    const { uid, seen, modseq: changed } = new Fetched(data)
    // Not a reply to this command: a message that arrived meanwhile has changed already.
    if (uid >= since.uidNext) return false
    modseq = Math.max(modseq, changed)
    flags.set(uid, seen)
    return true
  }
  const modifiers = `CHANGEDSINCE ${since.modseq}${qresync ? ' VANISHED' : ''}`
  await connection.run([`UID FETCH 1:${since.uidNext - 1} (FLAGS) (${modifiers})`], {
    onData,
    timeout: timeouts.wholeFolder,
  })
  return gone && { flags, gone, modseq }
}

function isEarlier({ name, values: [first] }: Data): boolean {
  return name === 'VANISHED' && atomsOf(first).some((word) => word.toUpperCase() === 'EARLIER')
}
