import type { MessageReader, OpenedContent } from '#/mime/reader.ts'
import type { OutgoingAttachment } from './outgoing.ts'

/** The attachments of a message, to be sent with another one. */
export async function attachmentsOf(
  reader: MessageReader,
  raw: Buffer,
  { attachments }: Pick<OpenedContent, 'attachments'>,
): Promise<OutgoingAttachment[]> {
  const read: OutgoingAttachment[] = []
  for (const { id, filename, content_type: contentType, inline, contentId } of attachments) {
    const content = (await reader.attachment(raw, id))?.bytes ?? Buffer.alloc(0)
    const name = filename ?? `attachment-${id}`
    read.push({ filename: name, content, contentType, contentId: inline ? contentId : null })
  }
  return read
}
