import { randomUUID } from 'node:crypto'
import { codePoints } from '#/base/text/text.ts'
import type { OpenKey } from '#/domains/dkim/signing-keys.ts'
import { splitAddress } from '#/formats/mime/address/address.ts'
import type { Message } from '#/formats/mime/message.ts'
import { plainMessageId } from '#/formats/mime/pgp-mime.ts'
import { compose } from './compose.ts'
import { signed } from './sign.ts'

/** The message that is answered. */
export type AnsweredMessage = Pick<Message, 'messageId' | 'strong' | 'subject'>

export interface AnswerDependencies {
  readonly mailbox: { readonly address: string; readonly name: string }
  readonly reply: { readonly subject: string; readonly body: string }
  readonly to: string
  readonly message: AnsweredMessage
  readonly keys: readonly OpenKey[]
  readonly at: Date
}

/** As many earlier messages as References names: enough for any program to find the conversation. */
const mostReferences = 20

/** An automatic answer (RFC 3834, section 3), signed. */
export async function answer({ mailbox, reply, to, message, keys, at }: AnswerDependencies): Promise<Buffer> {
  const messageId = `<${randomUUID()}@${splitAddress(mailbox.address)?.domain}>`
  const subject = reply.subject || auto(message.subject)
  const references = referencesTo(message)
  const composed = await compose(
    {
      from: { name: mailbox.name, address: mailbox.address },
      to: [{ name: '', address: to }],
      ...{ cc: [], bcc: [], replyTo: [], html: null, attachments: [], subject, text: reply.body },
      inReplyTo: references.slice(-1),
      references,
    },
    { messageId, date: at },
  )
  const marked = Buffer.concat([
    Buffer.from('Auto-Submitted: auto-replied\r\nX-Auto-Response-Suppress: All\r\n'),
    composed,
  ])
  return await signed(marked, keys, at)
}

/** The References of an answer to a message; the message's own id is the last. Empty if the message has no usual id. */
export function referencesTo({ messageId, strong }: Pick<Message, 'messageId' | 'strong'>): string[] {
  const answered = plainMessageId(messageId)
  if (answered === null) return []
  const before = strong.filter((id) => id !== answered && plainMessageId(id) !== null)
  return [...before.slice(-mostReferences), answered]
}

/** RFC 3834, section 3.1.5; a subject may be long. */
function auto(subject: string): string {
  const text = `Auto: ${subject}`
  return codePoints(text) <= 255 ? text : Array.from(text).slice(0, 255).join('')
}
