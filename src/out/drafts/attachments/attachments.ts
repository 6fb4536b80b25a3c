import { notFound } from '#/base/errors.ts'
import { assertAttachmentsFit } from '#/out/sending/fields.ts'
import type { OutgoingAttachment } from '#/out/sending/outgoing.ts'
import type { DraftContent } from '../content.ts'

/** The draft with one more attachment. @throws Refusal if they are too many or too large together */
export function withAttachment(draft: DraftContent, attachment: OutgoingAttachment): DraftContent {
  const attachments = [...draft.attachments, attachment]
  assertAttachmentsFit(attachments, 'content')
  return { ...draft, attachments }
}

/** The draft without one. @throws Refusal if it has none with that index */
export function withoutAttachment(draft: DraftContent, index: string): DraftContent {
  const at = /^\d{1,3}$/.test(index) ? Number(index) : -1
  if (draft.attachments[at] === undefined) throw notFound('attachment')
  return { ...draft, attachments: draft.attachments.filter((_, other) => other !== at) }
}
