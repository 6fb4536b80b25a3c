import { keptOf } from './device.ts'
import { hold } from './hold.ts'
import { leave } from './leave.ts'
import { write } from './opening.ts'

/** Goes on with what this member had not finished here as the page was left: what was to be sent is sent, and what was being
 *  written is open again. Another tab keeps what it has. */
export async function resume(member: string): Promise<void> {
  let opened = false
  for (const writing of await keptOf(member)) {
    if (opened && writing.leaving === undefined) continue
    if (!(await hold(writing.key))) continue
    if (writing.leaving) void leave(member, writing, writing.leaving)
    else {
      opened = true
      write({ what: 'kept', writing })
    }
  }
}
