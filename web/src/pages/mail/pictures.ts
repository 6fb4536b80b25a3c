import type { Attachment } from '../../api/generated.ts'

/** Pictures that a browser shows without running anything. */
export const isPicture = ({ content_type }: Pick<Attachment, 'content_type'>) =>
  /^image\/(png|jpeg|gif|webp|avif|bmp)$/i.test(content_type)

/** Whether the HTML shows this picture in its text, by `cid:`. */
export function isShownInText(attachment: Attachment, html: string | null): boolean {
  const { content_id } = attachment
  return content_id !== null && isPicture(attachment) && (html?.includes(`cid:${content_id}`) ?? false)
}
