import { notFound } from '#/errors.ts'
import { SerializedJson } from '#/http/serialized-json.ts'
import type { Address } from '#/mime/address.ts'
import type { MessageReader, OpenedContent } from '#/mime/reader.ts'
import type { Stored, Summary } from '#/ports/mail-host.ts'
import type { MessageItem, MessageOut } from './schemas.ts'

/** Reads the uid in a path. An invalid one is `not_found`. */
export function pathUid(text: string): number {
  const uid = /^[1-9][0-9]{0,9}$/.test(text) ? Number(text) : 0
  if (uid < 1 || uid > 0xffffffff) throw notFound('message')
  return uid
}

/** `visible` are the keywords that the organization may see. */
export function presentItem(summary: Summary, visible: ReadonlySet<string>): MessageItem {
  return {
    uid: summary.uid,
    folder: summary.folder,
    message_id: summary.messageId ?? '',
    subject: summary.subject,
    from: presentAddress(summary.from ?? { name: '', address: '' }),
    to: summary.to.map(presentAddress),
    received_at: summary.receivedAt.toISOString(),
    unread: !summary.seen,
    starred: summary.flagged,
    labels: summary.keywords.filter((keyword) => visible.has(keyword)),
    has_attachment: summary.hasAttachment,
    preview: summary.preview,
    size_bytes: summary.sizeBytes,
  }
}

/** A message. The texts of a large one are JSON already. */
export type OpenedMessage = Omit<MessageOut, 'text' | 'html'> & Record<'text' | 'html', string | null | SerializedJson>

/** Does not show what members' own filters did. */
export async function presentMessage(
  { summary, filteredBy }: Stored,
  raw: Buffer,
  reader: MessageReader,
  visible: ReadonlySet<string>,
): Promise<OpenedMessage> {
  const [{ headers, to, cc, replyTo }, { text, html, attachments }] = await Promise.all([
    reader.message(raw),
    reader.content(raw),
  ])
  return {
    ...presentItem(summary, visible),
    to: to.map(presentAddress),
    cc: cc.map(presentAddress),
    reply_to: replyTo.map(presentAddress),
    in_reply_to: idsIn(headers.text('in-reply-to'))[0] ?? null,
    references: idsIn(headers.text('references')),
    text: presentText(text),
    html: presentText(html),
    attachments: attachments.map(({ contentId, ...attachment }) => ({ ...attachment, content_id: contentId })),
    filtered_by: filteredBy.flatMap(({ personal, error = null, ...applied }) =>
      personal ? [] : [{ ...applied, error }],
    ),
  }
}

function presentText(text: OpenedContent['text']): string | null | SerializedJson {
  return text instanceof Uint8Array ? new SerializedJson(text) : text
}

function presentAddress({ name, address }: Address): { name: string; address: string } {
  return { name, address }
}

function idsIn(text: string): string[] {
  return text.match(/<[^<>\s]+>/g) ?? []
}
