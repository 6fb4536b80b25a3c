import { readMessage } from '#/formats/mime/read-message.ts'
import type { Copy } from '#/mail/store/copy-to-append.ts'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'
import type { World } from '#test/world/world.ts'
import type { FiledMessage } from './oracle.ts'

/** Stores messages in a folder of the mail host, with their header lines and received dates. The text of each is its subject
 *  and `text`. Waits until a mail server has them. */
export async function storeMessages(
  world: World,
  mailbox: MailboxRef,
  messages: readonly Omit<FiledMessage, 'uid'>[],
  folder = 'inbox',
): Promise<void> {
  const copies = messages.map((message): Copy => {
    const { headers, sender, seen, receivedAt } = message
    const from = sender === '' ? '' : `From: Somebody <${sender}>\r\n`
    const rest = message.returned === undefined ? `\r\n${textOf(message)}` : notice(textOf(message), message.returned)
    const raw = Buffer.from(`${headers}${from}Subject: ${subjectOf(message)}\r\n${rest}\r\n`)
    const marks = { receivedAt: new Date(receivedAt), seen, flagged: false, keywords: [], filteredBy: [] }
    return { mailbox, folder, message: readMessage(raw), ...marks }
  })
  await world.store(copies)
}

function notice(text: string, returned: string): string {
  const parts = [`text/plain; charset=utf-8\r\n\r\n${text}`, `text/rfc822-headers\r\n\r\n${returned}`]
  const type = 'Content-Type: multipart/report; report-type=delivery-status; boundary="=_b"'
  return `${type}\r\n\r\n${parts.map((part) => `--=_b\r\nContent-Type: ${part}\r\n`).join('')}--=_b--`
}

export function subjectOf({ receivedAt, sender }: Omit<FiledMessage, 'uid'>): string {
  return `${sender || 'Nobody'} at ${receivedAt}`
}

export function textOf(message: Omit<FiledMessage, 'uid'>): string {
  return `The text of ${subjectOf(message)}`
}
