import { addressText } from '#/formats/mime/address/address-text.ts'
import type { Message } from '#/formats/mime/message.ts'
import type { OpenedContent } from '#/formats/mime/reader.ts'
import type { Static } from '#/http/schemas/type.ts'
import type { Summary } from '#/mail/store/read.ts'
import { headerOf, textsOf, writtenHeader } from './content.ts'
import type { DraftBox } from './find.ts'
import { draftId } from './identity.ts'
import type { DraftItem, DraftOut } from './schemas.ts'

/** A draft of a list. */
export function presentItem(box: DraftBox, key: string, summary: Summary): Static<typeof DraftItem> {
  const { from, to, subject, preview, hasAttachment, receivedAt } = summary
  return {
    ...placeOf(box, key, summary, receivedAt),
    from: from ? addressText(from) : '',
    to: to.map(addressText),
    subject,
    preview,
    has_attachment: hasAttachment,
  }
}

interface Opened {
  readonly box: DraftBox
  readonly key: string
  readonly uid: number
  /** Of the message. */
  readonly id: string
  readonly isOurs: boolean
  readonly savedAt: Date
  readonly message: Message
  readonly content: OpenedContent
}

/** A whole draft. */
export function presentDraft({ box, key, uid, id, isOurs, savedAt, message, content }: Opened): DraftOut {
  return {
    ...placeOf(box, key, { uid, id }, savedAt),
    ...writtenHeader(headerOf(message, isOurs)),
    ...textsOf(content),
    attachments: content.attachments.map(({ contentId, ...attachment }, index) => ({
      index,
      ...attachment,
      content_id: contentId,
    })),
  }
}

function placeOf(
  { mailboxId, address: mailbox }: DraftBox,
  key: string,
  { uid, id: message }: Pick<Summary, 'uid' | 'id'>,
  savedAt: Date,
) {
  return { id: draftId({ mailboxId, key }), mailbox, message, uid, version: uid, updated_at: savedAt.toISOString() }
}
