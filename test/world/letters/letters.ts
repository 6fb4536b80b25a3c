import { Refusal } from '#/base/errors.ts'
import { readMessage } from '#/formats/mime/read-message.ts'
import type { Copy } from '#/mail/store/copy-to-append.ts'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'
import type { Stored } from '#/mail/store/read.ts'

/** A message with these header fields; the body is taken as one octet a character. */
export function letter(fields: Record<string, string>, body = 'Dear Bob\r\n'): Buffer {
  letters += 1
  const header = {
    from: 'Ada <Ada@example.test>',
    to: 'bob@example.test',
    subject: `Letter ${letters}`,
    'message-id': `<${letters}@example.test>`,
    ...fields,
  }
  const lines = Object.entries(header).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`${lines.join('')}\r\n${body}`, 'latin1')
}

let letters = 0

export function copy(mailbox: MailboxRef, change: Partial<Copy> = {}): Copy {
  return {
    mailbox,
    folder: 'inbox',
    message: change.message ?? readMessage(letter({})),
    receivedAt: second(0),
    seen: false,
    flagged: false,
    keywords: [],
    filteredBy: [],
    ...change,
  }
}

export function second(at: number): Date {
  return new Date(Date.UTC(2026, 10, 21, 12, 0, at, 5))
}

export function refusal(field: string): (error: unknown) => boolean {
  return (error) => error instanceof Refusal && error.code === 'invalid_request' && error.field === field
}

/** A stored message's bytes; undefined if it does not exist. */
export async function rawOf(stored: Stored | undefined): Promise<Buffer | undefined> {
  return stored && Buffer.concat(await Array.fromAsync(stored.pieces()))
}
