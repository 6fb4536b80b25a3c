import { randomUUID } from 'node:crypto'
import { collected } from '#/bytes.ts'
import type { LocalDelivery, LocalDoor } from '#/outbound/local.ts'
import type { Clock } from '#/ports/clock.ts'
import type { Outcome } from '#/ports/relay.ts'
import { type Admission, type Admitted, admit, type Returning } from './admit.ts'
import type { Verdict } from './authenticate.ts'
import { type Reception, receive } from './receive.ts'
import { Rejection, type Reply } from './reply.ts'
import { troubleReply } from './trouble.ts'

/** Nothing is to be proven of mail that one of our own mailboxes sent: a key said who it is from. */
const vouched: Verdict = {
  spf: { result: 'none', domain: '', identity: 'helo' },
  dkim: [],
  dmarc: { result: 'none', domain: '', policy: '', dkimAligned: false },
  disposition: 'none',
  own: true,
}

/** Takes in mail from here to here, which leaves by no wire. All else is as for mail that comes over SMTP: unknown and
 *  suspended recipients, blocks, filters. It comes once, however often it is handed over. What had come in from elsewhere
 *  keeps what was found of it then: that it was forwarded proves nothing. */
export class OwnDoor implements LocalDoor {
  readonly #reception: Reception
  readonly #admission: Admission
  readonly #clock: Clock

  constructor(reception: Reception, admission: Admission, clock: Clock) {
    this.#reception = reception
    this.#admission = admission
    this.#clock = clock
  }

  async deliver(delivery: LocalDelivery): Promise<readonly Outcome[]> {
    const answers = new Map<string, Reply>()
    const admitted: (Admitted | Returning)[] = []
    for (const recipient of delivery.recipients) {
      try {
        admitted.push(await admit(this.#admission, delivery.sender, recipient))
      } catch (error) {
        answers.set(recipient, replyTo(error))
      }
    }
    const taken = delivery.recipients.filter((recipient) => !answers.has(recipient))
    if (taken.length > 0) {
      const bytes = await collected(delivery.content(), delivery.size)
      await delivery.beforeDot(taken)
      const reply = await this.#receive(delivery, admitted, bytes)
      for (const recipient of taken) answers.set(recipient, reply)
    }
    return delivery.recipients.map((recipient) => outcome(recipient, answers.get(recipient)))
  }

  async #receive(
    { sender, smtpUtf8, verdict }: LocalDelivery,
    recipients: readonly (Admitted | Returning)[],
    bytes: Buffer,
  ): Promise<Reply> {
    const { hostname } = this.#reception
    const client = { address: '127.0.0.1', helo: hostname, protocol: 'ESMTP', tls: undefined } as const
    const receivedAt = new Date(this.#clock.now())
    try {
      const { reply } = await receive(
        { ...this.#reception, authenticate: async () => (verdict ? keptIn(verdict) : vouched) },
        { id: randomUUID(), receivedAt, client, origin: client, sender, utf8: smtpUtf8, recipients },
        bytes,
      )
      return reply
    } catch (error) {
      return replyTo(error)
    }
  }
}

/** As it was when the message first came in: it is not checked anew, since SPF would speak of us. What was taken in although
 *  its author's domain asked to refuse it (LMTP) is not refused now: that would tell of the destination, not of it. */
function keptIn(verdict: Verdict): Verdict {
  return verdict.disposition === 'reject' ? { ...verdict, disposition: 'quarantine' } : verdict
}

function replyTo(error: unknown): Reply {
  return error instanceof Rejection ? error.reply : troubleReply(error)
}

function outcome(recipient: string, reply: Reply | undefined): Outcome {
  const { code, status, text } = reply ?? troubleReply(undefined)
  return {
    recipient,
    result: code < 300 ? 'delivered' : code < 500 ? 'deferred' : 'refused',
    reply: null,
    status,
    reason: text,
    host: null,
    ambiguous: false,
  }
}
