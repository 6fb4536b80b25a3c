import type { Verdict } from '#/formats/mime/authentication/verdict.ts'
import type { Message } from '#/formats/mime/message.ts'
import { authorDomains, isPersonal } from '#/formats/mime/report/personal.ts'
import type { Copy } from '#/mail/store/copy-to-append.ts'
import type { FollowUp } from '#/out/follow-ups/follow-ups.ts'
import { answerMark, cancelAnswered } from '#/out/queue/answered.ts'
import type { Envelope } from '#/smtp/protocol/envelope.ts'

/** Only the last Message-IDs that a message names are compared, up to this number. */
const mostNamed = 200

/** Cancels messages that are scheduled unless replied to, if this message is a reply (docs/reference/scheduled.md#how-do-i-send-only-if-nobody-answers).
 *  `storedIn` is what an organization knows of the ids that it names. */
export function cancelledByAnswer(
  envelope: Pick<Envelope, 'sender' | 'receivedAt'>,
  message: Message,
  { disposition }: Pick<Verdict, 'disposition'>,
  copies: readonly Pick<Copy, 'mailbox' | 'folder'>[],
  storedIn: (organizationId: string) => Pick<Message, 'weak' | 'strong'> = () => message,
): FollowUp[] {
  const answers = message.weak.length + message.strong.length > 0
  if (!answers || disposition !== 'none' || envelope.sender === '' || !isPersonal(message)) return []
  const marksIn = (organizationId: string) => {
    const { weak, strong } = storedIn(organizationId)
    return [...weak, ...strong].slice(-mostNamed).map(answerMark)
  }
  const domains = authorDomains(message)
  const organizations = new Map(
    copies.flatMap(({ mailbox, folder }) => (folder === 'junk' ? [] : [[mailbox.organizationId, mailbox.mailboxId]])),
  )
  return Array.from(organizations, ([organizationId, mailboxId]) => ({
    mailboxId,
    order: `answered ${organizationId}`,
    write: (tx) =>
      cancelAnswered(tx, { organizationId, marks: marksIn(organizationId), domains, at: envelope.receivedAt }),
  }))
}
