import { ApiError } from '../../../api/call.ts'
import { toasts } from '../../../parts/state/toasts.ts'
import type { Writing } from '../writing.ts'
import { forget, keep } from './device.ts'
import { release } from './hold.ts'
import { DraftConflict, draftOf, isAtService, noLongerSaved, save, unsave } from './save.ts'
import { untilAnswered } from './until-answered.ts'

/** Saves a closed message as a draft of the service. This device stores it until then. */
export async function saveAsDraft(member: string, writing: Writing): Promise<void> {
  const aside = { ...writing, fate: 'saved' } as const
  try {
    if (!writing.isSaved) {
      await keep(member, aside)
      await untilAnswered('The draft is kept on this device', () => saveBeside(aside))
      toasts.add({ text: 'Saved in Drafts' }, { timeout: 5_000 })
    }
    await forgetAll(writing)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    toasts.add({ text: `The draft is kept on this device: ${reason}`, failed: true }, { timeout: 10_000 })
  }
}

/** If the draft was changed elsewhere, both are kept. */
async function saveBeside(writing: Writing): Promise<void> {
  try {
    await save(writing)
  } catch (error) {
    if (!(error instanceof DraftConflict)) throw error
    noLongerSaved(writing.key)
    await save(writing)
  }
}

/** Deletes a message for good, with its draft. */
export async function deleteWithDraft(member: string, writing: Writing): Promise<void> {
  if (isAtService(writing)) {
    await keep(member, { ...writing, draft: draftOf(writing), fate: 'discarded' })
    await untilAnswered('The draft is not deleted yet', () => unsave(writing)).catch((error: unknown) => {
      // It may be deleted already, or only another member may delete it.
      if (!(error instanceof ApiError)) throw error
    })
  }
  await forgetAll(writing)
}

async function forgetAll({ key }: Writing): Promise<void> {
  noLongerSaved(key)
  await forget(key)
  release(key)
}
