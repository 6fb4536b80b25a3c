import type { Judgement, Verdict } from '#/formats/mime/authentication/verdict.ts'
import { withoutComments } from '#/formats/mime/header/lexical.ts'
import type { Message } from '#/formats/mime/message.ts'
import type { Envelope } from '#/smtp/protocol/envelope.ts'
import { Rejection } from '#/smtp/protocol/reply.ts'

/** Milliseconds for which mail of a server in front of us is deferred. */
const LMTP_RETRY = 3_600_000

/** Applies the disposition of DMARC. Throws `Rejection` to refuse or defer. A server that delivers by LMTP has already
 *  accepted the message and would send a bounce to an author who may be forged: it is deferred for an hour at most, and then
 *  quarantined, never refused. */
export function applyDmarc({ disposition, ...found }: Judgement, envelope: Envelope, message: Message): Verdict {
  const isBehind = envelope.client.protocol === 'LMTP'
  if (disposition === 'reject' && !isBehind) {
    const rejected = new Rejection(550, '5.7.26', "Rejected by the DMARC policy of the author's domain")
    throw rejected.withRefusal({ because: 'dmarc' })
  }
  if (disposition !== 'defer') return { ...found, disposition }
  if (isBehind && !isRecent(envelope, message)) return { ...found, disposition: 'quarantine' }
  throw new Rejection(451, '4.7.26', 'DMARC could not be evaluated because DNS did not answer; try again later')
}

/** Whether the server in front of us received the message recently, by its Received field. */
function isRecent({ receivedAt }: Envelope, { headers }: Message): boolean {
  const received = withoutComments(headers.first('received') ?? '')
  const at = Date.parse(received.slice(received.lastIndexOf(';') + 1))
  return Math.abs(receivedAt.getTime() - at) < LMTP_RETRY
}
