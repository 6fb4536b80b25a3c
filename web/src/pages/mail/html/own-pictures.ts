import { getDownloadMessageAttachmentUrl, type Message } from '../../../api/generated.ts'
import { dataUrl } from './data-url.ts'
import { liftedPieces } from './lift-styles.ts'
import { namedPictures } from './pictures.ts'
import { namedPicture } from './sanitize.ts'

/** The pictures of the message's own text, by Content-ID, as `data:` URLs: its frame may load nothing. Empty for one that is no
 *  picture, whatever its declared type. */
export async function ownPictures(message: Message): Promise<Map<string, string>> {
  const named = namedIn(message.html ?? '')
  const shown = [...namedPictures(message.attachments)].filter(([name]) => named.has(name))
  const found = await Promise.all(
    shown.map(async ([name, { id }]) => {
      const url = getDownloadMessageAttachmentUrl(message.id, id)
      return [name, await picture(url).catch(() => '')] as const
    }),
  )
  return new Map(found)
}

/** The Content-IDs that tags of pictures name. */
function namedIn(html: string): ReadonlySet<string> {
  const tags = liftedPieces(html).pieces.filter((piece) => /^<ima?ge?[\s/]/i.test(piece))
  const images = new DOMParser().parseFromString(tags.join(''), 'text/html').querySelectorAll('img')
  return new Set(Array.from(images, (image) => namedPicture(image) ?? ''))
}

/** @throws DOMException if the browser cannot decode it */
async function picture(url: string): Promise<string> {
  const answer = await fetch(url)
  if (!answer.ok) return ''
  const content = await answer.blob()
  const decoded = await createImageBitmap(content, { resizeWidth: 1, resizeHeight: 1 })
  decoded.close()
  return dataUrl(content)
}
