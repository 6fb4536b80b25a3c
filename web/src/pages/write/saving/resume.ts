import { write } from '../beginning/opening.ts'
import { current } from '../open-message.ts'
import { leave } from '../sending/leave.tsx'
import { deleteWithDraft, saveAsDraft } from './closed-message.ts'
import { keptOf } from './device.ts'
import { hold, release } from './hold.ts'

/** Continues what this member had not finished when the page was left: sends what was to be sent, and opens the message that
 *  was being written. Another tab keeps its messages until it is closed. */
export async function resume(member: string): Promise<void> {
  let opened = false
  const goOn = async (key: string) => {
    await hold(key)
    const writing = (await keptOf(member)).find((one) => one.key === key)
    // Another tab has finished it.
    if (!writing) return release(key)
    if (writing.fate === 'saved') return saveAsDraft(member, writing)
    if (writing.fate === 'discarded') return deleteWithDraft(member, writing)
    if (writing.leaving) return leave(member, writing, { ...writing.leaving, at: Date.now() })
    if (opened || current()) return release(key)
    opened = true
    write({ what: 'kept', writing })
  }
  for (const { key } of await keptOf(member)) void goOn(key)
}
