import { putAside, throwAway } from './aside.ts'
import { keptOf } from './device.ts'
import { hold } from './hold.ts'
import { leave } from './leave.ts'
import { write } from './opening.ts'
import type { Writing } from './writing.ts'

const isOpenOnly = ({ leaving, fate }: Writing) => leaving === undefined && fate === undefined

/** Goes on with what this member had not finished here as the page was left: what was to be sent is sent, and what was being
 *  written is open again. Another tab keeps what it has. */
export async function resume(member: string): Promise<void> {
  let opened = false
  for (const writing of await keptOf(member)) {
    if (opened && isOpenOnly(writing)) continue
    if (!(await hold(writing.key))) continue
    if (writing.fate === 'saved') void putAside(member, writing)
    else if (writing.fate === 'discarded') void throwAway(member, writing)
    else if (writing.leaving) void leave(member, writing, { ...writing.leaving, at: Date.now() })
    else {
      opened = true
      write({ what: 'kept', writing })
    }
  }
}
