import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Db } from '#/base/db/schema.ts'
import { notFound, Refusal } from '#/base/errors.ts'
import { parseAddresses } from '#/formats/mime/address/address-list.ts'
import { htmlToText } from '#/formats/mime/body/html-text.ts'
import { forwardedField } from '#/formats/mime/header/forwarded-field.ts'
import { sendableIds } from '#/formats/mime/header/references.ts'
import { type MessageReader, type OpenedContent, openedText } from '#/formats/mime/reader.ts'
import type { Caller } from '#/http/access/caller.ts'
import type { Mailbox } from '#/mail/mailboxes/mailbox.ts'
import { ownAddresses } from '#/mail/mailboxes/own-addresses.ts'
import { mailboxById } from '#/mail/mailboxes/queries.ts'
import { mailboxFor } from '#/mail/mailboxes/readable.ts'
import type { LargeMessages } from '#/mail/messages/large.ts'
import type { Stored } from '#/mail/store/read.ts'
import { mostQuoted, type Quoted } from './quote.ts'
import { addressedAs, type Mode, recipients, threadOf } from './rules.ts'
import { answerSubject } from './subject.ts'

export interface ReplyDependencies {
  readonly db: Db
  readonly reader: MessageReader
  readonly large: LargeMessages
}

/** The original of an answer or a forwarded message, and its mailbox. */
export interface Original {
  readonly mailbox: Mailbox
  readonly raw: Buffer
  readonly content: OpenedContent
  readonly quoted: Quoted
}

/** The mailbox that the caller writes from. @throws Refusal */
export async function writingMailbox(db: Db, caller: Caller, address: string): Promise<Mailbox> {
  const { organizationId, mailboxId } = await mailboxFor(db, caller, 'send', address)
  const mailbox = await mailboxById(db, organizationId, mailboxId)
  if (!mailbox) throw notFound('mailbox')
  return mailbox
}

/** A quotation shows the message, so it needs the scope to read messages. @throws Refusal */
export function assertReads({ scopes }: FastifyRequest, field: string): void {
  if (scopes.has('messages:read')) return
  throw new Refusal('forbidden', `${field} needs the scope messages:read too`, {
    fix: 'Use a key with that scope; the operator creates keys with `mailroom key create`',
  })
}

/** Reads a message of the mailbox to be answered with `reply`. @throws Refusal */
export async function readOriginal(
  { reader, large }: ReplyDependencies,
  reply: FastifyReply,
  mailbox: Mailbox,
  stored: Stored,
): Promise<Original> {
  const raw = await large.fetch(stored, reply)
  const { headers, messageId, subject, to, cc, replyTo } = await reader.message(raw)
  const content = await reader.content(raw)
  const quoted = {
    messageId: sendableIds(messageId ?? '')[0] ?? null,
    references: sendableIds(headers.text('references')),
    inReplyTo: sendableIds(headers.text('in-reply-to')),
    ...{ subject, to, cc, replyTo },
    from: parseAddresses(headers.all('from').join(',\n')),
    date: stored.summary.facts.date,
    text: textOf(content),
  }
  return { mailbox, raw, content, quoted }
}

function textOf({ text, html }: OpenedContent): string {
  return openedText(text) ?? htmlToText(openedText(html) ?? '', mostQuoted)
}

/** Sender and recipients of an answer, its subject and its ids; of a message that forwards another, the field that names that. */
export function answerTo({ mailbox, quoted }: Original, mode: Mode, without: readonly string[] = []) {
  const own = [mailbox.address, ...mailbox.aliases]
  const address = addressedAs(quoted, own) ?? mailbox.address
  const forwards = mode === 'forward'
  return {
    from: { name: mailbox.name, address },
    ...(forwards
      ? { to: [], cc: [], inReplyTo: [], references: [] }
      : {
          ...recipients(quoted, ownAddresses(own).include, { all: mode === 'reply_all', without }),
          ...threadOf(quoted),
        }),
    subject: answerSubject(quoted.subject, mode),
    headers: forwards && quoted.messageId !== null ? [{ name: forwardedField, value: quoted.messageId }] : [],
  }
}
