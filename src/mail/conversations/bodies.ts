import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import type { Db } from '#/base/db/schema.ts'
import { ifMissing } from '#/base/errors.ts'
import { newHtml } from '#/formats/mime/body/quoted/new-html.ts'
import { type MessageReader, openedText } from '#/formats/mime/reader.ts'
import type { LargeMessages } from '#/mail/messages/large.ts'
import { presentAttachment } from '#/mail/messages/message.ts'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'
import { readStored, type Summary } from '#/mail/store/read.ts'
import { nameOf } from '#/mail/threads/summaries.ts'
import type { BodyOut } from './schemas.ts'

/** The limits of a conversation, newest first: messages, their bytes, and characters of their texts. */
const most = { messages: 100, bytes: 50 << 20, text: 8 << 20 }
/** Octets of all texts, which are also searched for new parts. */
const mostOctets = 2 * most.text
/** Characters of a text or HTML that are searched for new parts; more would delay other requests. */
const mostOfText = 1 << 19

interface Dependencies {
  readonly db: Db
  readonly reader: MessageReader
  readonly large: LargeMessages
}

/** The bodies of a conversation's messages, in order. Null for messages that are too old, too large or deleted. */
export async function bodiesOf(
  parts: Dependencies,
  reply: FastifyReply,
  mailbox: MailboxRef,
  messages: readonly Summary[],
): Promise<(BodyOut | null)[]> {
  const found = new Map<string, BodyOut>()
  const read = newest(messages)
  const sizes = read.map(({ sizeBytes }) => sizeBytes)
  const sum = sizes.reduce((octets, size) => octets + size, 0)
  await parts.large.reserve(reply, Math.max(0, ...sizes) + Math.min(sum, mostOctets))
  let { text } = most
  for (const message of read) {
    const body = await bodyOf(parts, reply, mailbox, message).catch(ifMissing(undefined))
    await nextTurn()
    if (!body) continue
    text -= (body.text?.length ?? 0) + (body.html?.length ?? 0)
    if (text < 0) break
    found.set(nameOf(message), body)
  }
  return messages.map((message) => found.get(nameOf(message)) ?? null)
}

/** The newest messages whose bodies are read, the newest first. */
function newest(messages: readonly Summary[]): Summary[] {
  let { bytes } = most
  const last = messages.slice(-most.messages).toReversed()
  const end = last.findIndex(({ sizeBytes }) => {
    bytes -= sizeBytes
    return bytes < 0
  })
  return end < 0 ? last : last.slice(0, end)
}

async function bodyOf(
  { db, reader, large }: Dependencies,
  reply: FastifyReply,
  mailbox: MailboxRef,
  { folder, uid }: Summary,
): Promise<BodyOut | undefined> {
  const stored = await readStored(db, mailbox, folder, uid)
  if (!stored) return undefined
  const content = await reader.opened(await large.fetch(stored, reply))
  const [text, html] = [openedText(content.text), openedText(content.html)]
  if ((text?.length ?? 0) > mostOfText || (html?.length ?? 0) > mostOfText) return undefined
  return {
    ...{ text, html, new_html: html === null ? null : newHtml(html) },
    new_text: openedText(content.newText),
    attachments: content.attachments.map(presentAttachment),
  }
}
