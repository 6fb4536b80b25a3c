import { requestDraftApproval } from '../../../api/generated.ts'
import { queryClient } from '../../../app/query-client.ts'
import { toasts } from '../../../parts/state/toasts.ts'
import { ofApprovals } from '../../approvals/queries.ts'
import { write } from '../beginning/opening.ts'
import { removeOpen } from '../open-message.ts'
import { saveAsDraft } from '../saving/closed-message.ts'
import { save } from '../saving/save.ts'
import type { Writing } from '../writing.ts'

/** Asks for approval of a message in its current state, and leaves it among the drafts. It is closed then, since saving it
 *  again would change it. If the request fails it is open again. */
export async function askApproval(member: string, writing: Writing): Promise<void> {
  removeOpen()
  try {
    const draft = await save(writing)
    await requestDraftApproval(draft.id, { version: draft.version })
    await saveAsDraft(member, { ...writing, draft, isSaved: true })
  } catch (error) {
    const fault = error instanceof Error ? error : new Error(String(error))
    write({ what: 'kept', writing: { ...writing, isSaved: false }, fault })
    return
  }
  void queryClient.invalidateQueries({ queryKey: ofApprovals })
  toasts.add({ text: 'Approval is asked for' }, { timeout: 5_000 })
}
