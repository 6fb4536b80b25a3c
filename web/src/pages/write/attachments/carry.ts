import { getDownloadMessageAttachmentUrl } from '../../../api/generated.ts'
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
  message: string,
  { id: part, filename, content_type, content_id }: Attachment,
): Promise<File> {
  const answer = await fetch(getDownloadMessageAttachmentUrl(message, part))
  if (!answer.ok) throw new Error('An attachment could not be loaded')
  const content = await answer.blob()
  const id = crypto.randomUUID()
  await keepFile({ id, key, content })
  const name = filename ?? 'attachment'
  return { id, name, type: content_type, size: content.size, ...(content_id !== null && { cid: content_id }) }
}
