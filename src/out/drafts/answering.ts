import type { FastifyReply, FastifyRequest } from 'fastify'
import { invalid, notFound, Refusal } from '#/base/errors.ts'
import type { Mailbox } from '#/mail/mailboxes/mailbox.ts'
import { readNamed } from '#/mail/store/find-named.ts'
import { folderName } from '#/mail/store/folder-name.ts'
import { readStored, type Stored } from '#/mail/store/read.ts'
import { answerTo, assertReads, type ReplyDependencies, readOriginal } from '#/out/replies/original.ts'
import { type Quoted, quote } from '#/out/replies/quote.ts'
import { quotedHtml } from '#/out/replies/quoted-html.ts'
import type { Mode } from '#/out/replies/rules.ts'
import { attachmentsOf } from '#/out/sending/attached.ts'
import { assertAttachmentsFit } from '#/out/sending/fields.ts'
import type { HeaderField } from '#/out/sending/headers.ts'
import { changed, type DraftContent, emptyDraft } from './content.ts'
import { assertOneMessage, type DraftFields, type OriginalOf } from './schemas.ts'

/** The draft of an answer to a message, or of a message that forwards it, with the given fields. @throws Refusal */
export async function draftAbout(
  parts: ReplyDependencies,
  reply: FastifyReply,
  mailbox: Mailbox,
  { original, fields }: { readonly original: OriginalOf; readonly fields: DraftFields },
): Promise<DraftContent> {
  assertReads(reply.request, 'original')
  const { mode } = original
  const found = await readOriginal(parts, reply, mailbox, await storedOf(parts, reply.request, mailbox, original))
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

/** A message of the mailbox, by its id or its uid in a folder. @throws Refusal */
async function storedOf(
  { db }: Pick<ReplyDependencies, 'db'>,
  { organizationId }: FastifyRequest,
  { id: mailboxId }: Mailbox,
  original: OriginalOf,
): Promise<Stored> {
  assertOneMessage(original, 'original.')
  const { id, uid, folder = 'inbox' } = original
  if (uid !== undefined) {
    const stored = await readStored(db, { organizationId, mailboxId }, folderName(folder), uid)
    if (stored) return stored
  }
  const named = id === undefined ? undefined : await readNamed(db, organizationId, id)
  if (named?.mailbox.mailboxId !== mailboxId) throw notFound('message')
  return named.stored
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
