import type { Attachment } from '../../../api/generated.ts'

/** Larger ones can only be saved. */
const most = 5_000_000

/** Types of pictures that a browser shows without running anything. */
export const isViewable = ({ content_type, size_bytes }: Pick<Attachment, 'content_type' | 'size_bytes'>) =>
  /^image\/(png|jpeg|gif|webp|avif|bmp)$/i.test(content_type) && size_bytes <= most

/** Whether the HTML shows this picture by `cid:`. */
export function isShownInText(attachment: Attachment, html: string | null): boolean {
  const { content_id } = attachment
  return content_id !== null && isViewable(attachment) && (html?.includes(`cid:${content_id}`) ?? false)
}
