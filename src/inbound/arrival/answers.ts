import type { Verdict } from '#/mime/authentication/verdict.ts'
import type { Message } from '#/mime/message.ts'
import { authorDomains, isPersonal } from '#/mime/report/personal.ts'
import type { FollowUp } from '#/outbound/relaying/follow-ups.ts'
import type { Copy } from '#/ports/mail-host.ts'
import { answerMark, cancelAnswered } from '#/queue/answered.ts'
import type { Envelope } from '../smtp/envelope.ts'

/** Only the last Message-IDs that a message names are compared, up to this number. */
const mostNamed = 200

/** Cancels messages that are scheduled unless replied to, if this message is a reply (docs/reference/scheduled.md#unless-replied). */
export function cancelledByAnswer(
  envelope: Pick<Envelope, 'sender' | 'receivedAt'>,
  message: Message,
  { disposition }: Pick<Verdict, 'disposition'>,
  copies: readonly Pick<Copy, 'mailbox' | 'folder'>[],
): FollowUp[] {
  const named = [...message.weak, ...message.strong].slice(-mostNamed)
  if (named.length === 0 || disposition !== 'none' || envelope.sender === '' || !isPersonal(message)) return []
  const marks = named.map(answerMark)
  const domains = authorDomains(message)
  const organizations = new Map(
    copies.flatMap(({ mailbox, folder }) => (folder === 'junk' ? [] : [[mailbox.organizationId, mailbox.mailboxId]])),
  )
  return Array.from(organizations, ([organizationId, mailboxId]) => ({
    mailboxId,
    order: `answered ${organizationId}`,
    write: (tx) => cancelAnswered(tx, { organizationId, marks, domains, at: envelope.receivedAt }),
  }))
}
