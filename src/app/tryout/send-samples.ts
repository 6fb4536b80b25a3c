import { createTransport } from 'nodemailer'
import { type Conversation, conversations } from './sample-mail.ts'

/** Sends the sample mail over SMTP on one connection, in order. */
export async function sendSamples(smtp: { host: string; port: number }): Promise<number> {
  const transport = createTransport({
    ...smtp,
    pool: true,
    maxConnections: 1,
    ignoreTLS: true,
    name: 'samples.example',
  })
  try {
    let sent = 0
    // One message of each conversation at a time, so that conversations interleave.
    for (let turn = 0; turn < 10; turn++) {
      for (const conversation of conversations) {
        const message = compose(conversation, turn)
        if (!message) continue
        await transport.sendMail(message)
        sent++
      }
    }
    return sent
  } finally {
    transport.close()
  }
}

function compose(conversation: Conversation, turn: number) {
  const sample = conversation.messages[turn]
  if (!sample) return undefined
  const answered = turn === 0 ? undefined : (sample.answers ?? turn - 1)
  const from = sample.from.slice(sample.from.indexOf('<') + 1, -1)
  return {
    envelope: { from, to: [conversation.to] },
    from: sample.from,
    to: from === conversation.to ? conversation.messages[answered ?? 0]?.from : conversation.to,
    subject: answered === undefined ? conversation.subject : `Re: ${conversation.subject}`,
    text: sample.text,
    ...(sample.html && { html: sample.html }),
    ...(sample.attachment && { attachments: [sample.attachment] }),
    messageId: messageId(conversation, turn),
    ...(answered !== undefined && {
      inReplyTo: messageId(conversation, answered),
      references: ancestors(conversation, turn),
    }),
  }
}

function ancestors(conversation: Conversation, turn: number): string[] {
  const path: string[] = []
  for (let at = turn; at > 0; ) {
    at = conversation.messages[at]?.answers ?? at - 1
    path.unshift(messageId(conversation, at))
  }
  return path
}

function messageId(conversation: Conversation, turn: number): string {
  return `<${conversations.indexOf(conversation)}.${turn}@samples.example>`
}
