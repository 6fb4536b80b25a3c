import { invalid, notFound } from '#/base/errors.ts'
import type { Address } from '#/formats/mime/address/address.ts'
import type { ArrivalResults } from '#/formats/mime/authentication/arrival-results.ts'
import type { Attachment } from '#/formats/mime/body/content.ts'
import type { MessageReader } from '#/formats/mime/reader.ts'
import { readyText, type SerializedJson } from '#/http/answers/serialized-json.ts'
import type { Stored, Summary } from '#/mail/store/read.ts'
import type { ListedMessage, MessageOut } from './schemas.ts'

export const highestUid = 0xffffffff

/** Reads the uid in a path. An invalid one is `not_found`. */
export function pathUid(text: string): number {
  const uid = /^[1-9][0-9]{0,9}$/.test(text) ? Number(text) : 0
  if (uid < 1 || uid > highestUid) throw notFound('message')
  return uid
}

/** Refuses parameters of a list that have no meaning beside another one. */
export function assertAlone(name: string, others: Readonly<Record<string, unknown>>): void {
  const other = Object.keys(others).find((one) => others[one] !== undefined)
  if (other !== undefined) throw invalid(other, `Cannot be combined with ${name}`, 'Leave one of them out')
}

/** Reads the `ids` of a list. */
export function namedIds(text: string): string[] {
  return [...new Set(text.split(','))]
}

/** Reads the `uids` of a list. */
export function namedUids(text: string): number[] {
  const uids = [...new Set(text.split(',').map(Number))].sort((a, b) => a - b)
  if (uids.some((uid) => uid > highestUid)) throw invalid('uids', `A uid is at most ${highestUid}`)
  return uids
}

/** The parameters of showing a message. */
export interface Shown {
  /** The keywords that the caller may see. */
  readonly visible: ReadonlySet<string>
  /** Our name in DNS: results of authentication under another name are not ours. */
  readonly hostname: string
}

export function presentItem(summary: Summary, { visible, hostname }: Shown): ListedMessage {
  const { date, results, unsubscribe } = summary.facts
  return {
    id: summary.id,
    uid: summary.uid,
    folder: summary.folder,
    message_id: summary.messageId ?? '',
    subject: summary.subject,
    from: presentAddress(summary.from ?? { name: '', address: '' }),
    to: summary.to.map(presentAddress),
    date,
    received_at: summary.receivedAt.toISOString(),
    unread: !summary.seen,
    starred: summary.flagged,
    answered: summary.answered,
    forwarded: summary.forwarded,
    labels: summary.keywords.filter((keyword) => visible.has(keyword)),
    has_attachment: summary.hasAttachment,
    preview: summary.preview,
    authentication: results?.by === hostname.toLowerCase() ? presentResults(results) : null,
    list_unsubscribe: unsubscribe,
    size_bytes: summary.sizeBytes,
  }
}

function presentResults({ by: _by, ...results }: ArrivalResults): NonNullable<ListedMessage['authentication']> {
  return results
}

/** A message. The texts of a large one are serialized already. */
export type OpenedMessage = Omit<
  MessageOut,
  'text' | 'html' | 'new_text' | 'mailbox' | 'thread_id' | 'conversation_id'
> &
  Record<'text' | 'html' | 'new_text', string | null | SerializedJson>

/** Of the actions of members' own filters it shows those in `filters`. */
export async function presentMessage(
  { summary, filteredBy }: Stored,
  raw: Buffer,
  reader: MessageReader,
  shown: Shown & { readonly filters: ReadonlySet<string> },
): Promise<OpenedMessage> {
  const [{ headers, to, cc, replyTo }, { text, html, newText, attachments }] = await Promise.all([
    reader.message(raw),
    reader.opened(raw),
  ])
  return {
    ...presentItem(summary, shown),
    to: to.map(presentAddress),
    cc: cc.map(presentAddress),
    reply_to: replyTo.map(presentAddress),
    in_reply_to: idsIn(headers.text('in-reply-to'))[0] ?? null,
    references: idsIn(headers.text('references')),
    text: readyText(text),
    html: readyText(html),
    new_text: readyText(newText),
    attachments: attachments.map(presentAttachment),
    filtered_by: filteredBy.flatMap(({ personal, ...applied }) =>
      personal && !shown.filters.has(applied.filter_id) ? [] : [applied],
    ),
  }
}

export function presentAttachment({ contentId, ...attachment }: Attachment): MessageOut['attachments'][number] {
  return { ...attachment, content_id: contentId }
}

function presentAddress({ name, address }: Address): { name: string; address: string } {
  return { name, address }
}

function idsIn(text: string): string[] {
  return text.match(/<[^<>\s]+>/g) ?? []
}
