import { canonicalAddress } from '../../../../../src/formats/mime/address/address.ts'
import { ownAddresses } from '../../../../../src/mail/mailboxes/own-addresses.ts'
import { type Mode, recipients, threadOf } from '../../../../../src/out/replies/rules.ts'
import { answerSubject } from '../../../../../src/out/replies/subject.ts'
import type { Message } from '../../../api/generated.ts'
import { written } from '../recipients/addresses.ts'

export type { Mode }

type Original = Pick<
  Message,
  'from' | 'to' | 'cc' | 'reply_to' | 'subject' | 'message_id' | 'in_reply_to' | 'references'
>

interface Answer {
  readonly to: string[]
  readonly cc: string[]
  readonly subject: string
  readonly inReplyTo?: string
  readonly references?: string[]
  readonly forwards?: string
}

/** The recipients and subject of an answer, by the rules of the service. `own` are the answering member's addresses. */
export function answerTo(original: Original, mode: Mode, own: readonly string[]): Answer {
  const subject = answerSubject(original.subject, mode)
  if (mode === 'forward') {
    const { message_id: forwards } = original
    return { to: [], cc: [], subject, ...(/^<[!-;=?-~]{1,900}>$/.test(forwards) && { forwards }) }
  }
  const sendable = (ids: readonly (string | null)[]) => ids.filter((id) => id?.includes('@')) as string[]
  const answered = {
    ...{ from: [original.from], replyTo: original.reply_to, to: original.to, cc: original.cc },
    messageId: sendable([original.message_id])[0] ?? null,
    inReplyTo: sendable([original.in_reply_to]),
    references: sendable(original.references),
    subject,
  }
  const isOwn = ownAddresses(own.map((address) => canonicalAddress(address) ?? address)).include
  const { to, cc } = recipients(answered, isOwn, { all: mode === 'reply_all' })
  const { inReplyTo, references } = threadOf(answered)
  return {
    ...{ to: to.map(written), cc: cc.map(written), subject },
    ...(inReplyTo[0] !== undefined && { inReplyTo: inReplyTo[0], references }),
  }
}
