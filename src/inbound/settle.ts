import { withoutComments } from '#/mime/lexical.ts'
import type { Message } from '#/mime/message.ts'
import type { Judgement, Verdict } from './authenticate.ts'
import type { Envelope } from './envelope.ts'
import { Rejection } from './reply.ts'

/** For how long another server of ours is told to come again, in milliseconds. */
const BEHIND_ANOTHER = 3_600_000

/** What becomes of a message that may not be its author's. Throws `Rejection` where it stays with its sender. A server that
 *  brings mail by LMTP has said 250: what it can't get rid of it writes to the author about, who may be forged. So it may
 *  try again for an hour, and what is not its author's by then is junk. */
export function settle({ disposition, ...found }: Judgement, envelope: Envelope, message: Message): Verdict {
  const isBehind = envelope.client.protocol === 'LMTP'
  if (disposition === 'reject' && !isBehind) {
    throw new Rejection(550, '5.7.26', "The author's domain asks to refuse mail that is not provably its own (DMARC)")
  }
  if (disposition !== 'defer') return { ...found, disposition }
  if (isBehind && !isRecent(envelope, message)) return { ...found, disposition: 'quarantine' }
  throw new Rejection(
    451,
    '4.7.26',
    "The DNS has not answered whether the mail is its author's (DMARC); try again later",
  )
}

/** Whether the server before us has had the message for a short time only, by what it wrote in front. */
function isRecent({ receivedAt }: Envelope, { headers }: Message): boolean {
  const received = withoutComments(headers.first('received') ?? '')
  const at = Date.parse(received.slice(received.lastIndexOf(';') + 1))
  return Math.abs(receivedAt.getTime() - at) < BEHIND_ANOTHER
}
