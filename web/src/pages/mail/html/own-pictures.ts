import { getDownloadMessageAttachmentUrl, type Message } from '../../../api/generated.ts'
import type { Place } from '../place.ts'
import { dataUrl } from './data-url.ts'
import { isShownInText } from './pictures.ts'

/** The pictures of the message's own text, by Content-ID, as `data:` URLs: its frame may load nothing. */
export async function ownPictures(place: Place, message: Message): Promise<Map<string, string>> {
  const shown = message.attachments.filter((one) => isShownInText(one, message.html))
  const found = await Promise.all(
    shown.map(async ({ id, content_id }) => {
      const answer = await fetch(getDownloadMessageAttachmentUrl(message.uid, id, { ...place })).catch(() => undefined)
      return [content_id ?? '', answer?.ok ? await dataUrl(await answer.blob()) : ''] as const
    }),
  )
  return new Map(found)
}
