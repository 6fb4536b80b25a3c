import { getDownloadMessageAttachmentUrl } from '../../../api/generated.ts'
import type { Place } from '../../mail/place.ts'
import { keepFile } from '../saving/device.ts'
import type { File } from '../writing.ts'

interface Attachment {
  readonly id: string
  readonly filename: string | null
  readonly content_type: string
  readonly content_id: string | null
}

/** Copies an attachment of a message to this device, for the message named by `key`. One with a Content-ID is a picture of
 *  the text. */
export async function carried(
  key: string,
  place: Place,
  uid: number,
  { id: part, filename, content_type, content_id }: Attachment,
): Promise<File> {
  const answer = await fetch(getDownloadMessageAttachmentUrl(uid, part, { ...place }))
  if (!answer.ok) throw new Error('An attachment could not be loaded')
  const content = await answer.blob()
  const id = crypto.randomUUID()
  await keepFile({ id, key, content })
  const name = filename ?? 'attachment'
  return { id, name, type: content_type, size: content.size, ...(content_id !== null && { cid: content_id }) }
}
