import { deleteMessages, emptyFolder } from '../../../api/generated.ts'
import { refetch } from '../../../app/refetch.ts'
import type { Place } from '../place.ts'
import { mailKeys } from '../queries.ts'
import { together } from './perform.ts'

/** The folders in which messages are deleted for good; in others they are moved. */
export const isForWaste = (folder: string) => folder === 'trash' || folder === 'junk'

/** Deletes messages for good. */
export function erase(place: Place, ids: readonly string[]): Promise<void> {
  return telling(place, async () => {
    for (let at = 0; at < ids.length; at += together) await deleteMessages({ ids: ids.slice(at, at + together) })
  })
}

/** Deletes for good all that is in the folder now. */
export function empty(place: Place): Promise<void> {
  return telling(place, async () => {
    const { mailbox, folder } = place
    for (let upTo: number | undefined; ; ) {
      const { has_more, up_to_uid } = await emptyFolder(folder, {
        mailbox,
        ...(upTo !== undefined && { up_to_uid: upTo }),
      })
      if (!has_more) return
      upTo = up_to_uid
    }
  })
}

/** If some of it fails, the rest is deleted. */
async function telling({ mailbox }: Place, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } finally {
    refetch([...mailKeys(mailbox), ['usage']])
  }
}
