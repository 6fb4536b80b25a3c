import type { MessageReader, OpenedContent } from '#/formats/mime/reader.ts'
import type { OutgoingAttachment } from './outgoing.ts'

/** The attachments of a message, to be sent with another one. Of two with one Content-ID, as other programs may write them, the first
 *  keeps it. */
export async function attachmentsOf(
  reader: MessageReader,
  raw: Buffer,
  { attachments }: Pick<OpenedContent, 'attachments'>,
): Promise<OutgoingAttachment[]> {
  const read: OutgoingAttachment[] = []
  const ids = new Set<string>()
  for (const { id, filename, content_type: contentType, contentId } of attachments) {
    const content = (await reader.attachment(raw, id))?.bytes ?? Buffer.alloc(0)
    const name = filename ?? `attachment-${id}`
    read.push({
      filename: name,
      content,
      contentType,
      contentId: contentId !== null && ids.has(contentId) ? null : contentId,
    })
    if (contentId !== null) ids.add(contentId)
  }
  return read
}
