import type { FastifyReply } from 'fastify'
import { invalid, Refusal } from '#/errors.ts'
import type { Mailbox } from '#/mailboxes/mailbox.ts'
import { folderName } from '#/messages/folders/folder-name.ts'
import { answerTo, assertReads, type ReplyParts, readOriginal } from '#/replies/original.ts'
import { quote } from '#/replies/quote.ts'
import { attachmentsOf } from '#/sending/attached.ts'
import { assertAttachmentsFit } from '#/sending/fields.ts'
import { type DraftContent, emptyDraft } from './content.ts'
import type { DraftFields, OriginalOf } from './schemas.ts'

/** The draft of an answer to a message, or of a message that forwards it. @throws Refusal */
export async function draftAbout(
  parts: ReplyParts,
  reply: FastifyReply,
  mailbox: Mailbox,
  { original, fields }: { readonly original: OriginalOf; readonly fields: DraftFields },
): Promise<DraftContent> {
  assertReads(reply.request, 'original')
  const { mode, uid, folder = 'inbox' } = original
  const place = { uid, folder: folderName(folder) }
  const found = await readOriginal(parts, reply, mailbox, place)
  const draft = { ...emptyDraft({ name: mailbox.name, address: mailbox.address }), ...answerTo(found, mode) }
  const text = original.quote === false ? '' : quote(found.quoted, mode)
  if (mode !== 'forward' || fields.attachments !== undefined) return { ...draft, text }
  const attachments = await attachmentsOf(parts.reader, found.raw, found.content)
  const beside = attachments.map((one) => ({ ...one, contentId: null }))
  try {
    assertAttachmentsFit(beside, 'original')
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw invalid('original', error.message, 'Give `attachments: []` to forward the message without its own')
  }
  return { ...draft, text, attachments: beside }
}
