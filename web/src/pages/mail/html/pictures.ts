import type { Attachment } from '../../../api/generated.ts'

/** Larger ones can only be saved. */
const most = 5_000_000

/** Types of pictures that a browser shows without running anything. */
export const isViewable = ({ content_type, size_bytes }: Pick<Attachment, 'content_type' | 'size_bytes'>) =>
  /^image\/(png|jpeg|gif|webp|avif|bmp)$/i.test(content_type) && size_bytes <= most

/** The pictures that the HTML may show, by Content-ID. Of those that share one, the first. Whether it shows them is known once it is
 *  sanitized. */
export function namedPictures<One extends Attachment>(attachments: readonly One[]): ReadonlyMap<string, One> {
  const named = new Map<string, One>()
  for (const one of attachments)
    if (one.content_id !== null && isViewable(one) && !named.has(one.content_id)) named.set(one.content_id, one)
  return named
}

/** The attachments that the HTML does not show. `shown` are the Content-IDs that it shows; undefined if that is not known yet. */
export function besideText(
  attachments: readonly Attachment[],
  shown: ReadonlySet<string> | undefined,
): readonly Attachment[] {
  const named = namedPictures(attachments)
  return attachments.filter((one) => {
    const id = one.content_id ?? ''
    return named.get(id) !== one || shown?.has(id) === false
  })
}
