import type { FolderState } from '#/ports/folder-changes.ts'
import { patience } from './connection.ts'
import { atomsOf, attributes, bytesOf, type Data, numberOf, type Token } from './response.ts'
import type { Session } from './session.ts'
import { numbersIn } from './words.ts'

/** What changed and went of the messages that a reader holds. */
export interface Delta {
  /** By uid, whether the message is seen. */
  readonly flags: ReadonlyMap<number, boolean>
  readonly gone: readonly number[]
  /** The highest modification sequence among the changes. */
  readonly modseq: number
}

export const noDelta: Delta = { flags: new Map(), gone: [], modseq: 0 }

/** Whoever would be told of more messages that went starts afresh. */
const mostGone = 1_000_000

/** RFC 7162, section 3.2.6. Undefined where too much has gone to be worth following. What goes while this is read is
 *  noted with the folder that is selected. */
export async function readDelta({ connection, qresync }: Session, since: FolderState): Promise<Delta | undefined> {
  if (since.uidNext === 1) return noDelta
  const flags = new Map<number, boolean>()
  let gone: number[] | undefined = []
  let modseq = 0
  const take = (data: Data) => {
    if (isEarlier(data)) {
      const more = numbersIn(bytesOf(data.values[1])?.toString('latin1') ?? '', mostGone)
      gone = gone && more && gone.length + more.length <= mostGone ? gone.concat(more) : undefined
      return true
    }
    if (data.name !== 'FETCH') return false
    const found = attributes(data)
    const uid = numberOf(found.get('UID'))
    // Not an answer to this: a message that came meanwhile has changed already.
    if (uid >= since.uidNext) return false
    modseq = Math.max(modseq, modseqOf(found))
    flags.set(uid, isSeen(found.get('FLAGS')))
    return true
  }
  const changed = `CHANGEDSINCE ${since.modseq}${qresync ? ' VANISHED' : ''}`
  await connection.run([`UID FETCH 1:${since.uidNext - 1} (FLAGS) (${changed})`], take, patience.whole)
  return gone && { flags, gone, modseq }
}

function isEarlier({ name, values: [first] }: Data): boolean {
  return name === 'VANISHED' && atomsOf(first).some((word) => word.toUpperCase() === 'EARLIER')
}

/** Of a message; 0 where it is not given. */
export function modseqOf(found: ReadonlyMap<string, Token>): number {
  return numberOf(atomsOf(found.get('MODSEQ'))[0])
}

export function isSeen(flags: Token | undefined): boolean {
  return atomsOf(flags).some((flag) => flag.length === 5 && flag.toLowerCase() === '\\seen')
}
