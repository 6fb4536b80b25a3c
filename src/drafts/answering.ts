import type { FastifyReply } from 'fastify'
import { invalid, Refusal } from '#/errors.ts'
import type { Mailbox } from '#/mailboxes/mailbox.ts'
import { folderName } from '#/messages/folders/folder-name.ts'
import { answerTo, assertReads, type ReplyParts, readOriginal } from '#/replies/original.ts'
import { type Quoted, quote } from '#/replies/quote.ts'
import { quotedHtml } from '#/replies/quoted-html.ts'
import type { Mode } from '#/replies/rules.ts'
import { attachmentsOf } from '#/sending/attached.ts'
import { assertAttachmentsFit } from '#/sending/fields.ts'
import type { HeaderField } from '#/sending/headers.ts'
import { changed, type DraftContent, emptyDraft } from './content.ts'
import type { DraftFields, OriginalOf } from './schemas.ts'

/** The draft of an answer to a message, or of a message that forwards it, with the given fields. @throws Refusal */
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
  const isWritten = typeof fields.text === 'string' || typeof fields.html === 'string'
  const quotes = original.quote ?? !isWritten
  const written = changed(
    { ...draft, text: quotes && !isWritten ? quote(found.quoted, mode) : '' },
    quotes && isWritten ? quotedBehind(fields, found.quoted, mode) : fields,
  )
  const begun = { ...written, headers: together(written.headers, draft.headers) }
  if (mode !== 'forward' || fields.attachments !== undefined) return begun
  const attachments = await attachmentsOf(parts.reader, found.raw, found.content)
  const beside = attachments.map((one) => ({ ...one, contentId: null }))
  try {
    assertAttachmentsFit(beside, 'original')
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw invalid('original', error.message, 'Give `attachments: []` to forward the message without its own')
  }
  return { ...begun, attachments: beside }
}

/** Given header fields, and those of the draft that are not among them. */
function together(given: readonly HeaderField[] = [], own: readonly HeaderField[]): HeaderField[] {
  return [...given, ...own.filter(({ name }) => !given.some((one) => one.name === name))]
}

/** The given texts, each with the quotation behind it, as a reply has them. */
function quotedBehind({ text, html, ...fields }: DraftFields, quoted: Quoted, mode: Mode): DraftFields {
  return {
    ...fields,
    ...(text !== undefined && { text: text === null ? null : text + quote(quoted, mode) }),
    ...(html !== undefined && { html: html === null ? null : html + quotedHtml(quoted, mode) }),
  }
}
