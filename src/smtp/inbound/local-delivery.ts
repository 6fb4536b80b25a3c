import { randomUUID } from 'node:crypto'
import type { Clock } from '#/base/clock/clock.ts'
import { collected } from '#/base/event-loop/pieces.ts'
import type { Verdict } from '#/formats/mime/authentication/verdict.ts'
import type { LocalDelivery, LocalTransport } from '#/out/delivery/local.ts'
import type { Outcome } from '#/out/relay/relay.ts'
import { replyTo } from '#/smtp/protocol/internal-error.ts'
import type { Reply } from '#/smtp/protocol/reply.ts'
import { receive } from './receive.ts'
import type { Reception } from './reception.ts'
import { type Admission, type Admitted, admit, type Returning } from './recipients/admit.ts'

/** The verdict on mail from one of our own mailboxes, which needs no checks: its sender was authenticated. */
const ownVerdict: Verdict = {
  spf: { result: 'none', domain: '', identity: 'helo' },
  dkim: [],
  dmarc: { result: 'none', domain: '', policy: '', dkimAligned: false },
  disposition: 'none',
  own: true,
}

/** Delivers mail between mailboxes of this installation without a connection. Recipients, blocks and filters are checked as
 *  over SMTP, and duplicates are dropped. A forwarded message keeps its first authentication results. */
export class LocalMailTransport implements LocalTransport {
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
      await delivery.beforeEndOfData(taken)
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
        { ...this.#reception, authenticate: async () => (verdict ? withoutReject(verdict) : ownVerdict) },
        { id: randomUUID(), receivedAt, client, origin: client, sender, utf8: smtpUtf8, recipients },
        bytes,
      )
      return reply
    } catch (error) {
      return replyTo(error)
    }
  }
}

/** The first results, since SPF would now evaluate this server. A message that was accepted against DMARC's `reject` (LMTP)
 *  is not refused now: a bounce would disclose where it was forwarded to. */
function withoutReject(verdict: Verdict): Verdict {
  return verdict.disposition === 'reject' ? { ...verdict, disposition: 'quarantine' } : verdict
}

function outcome(recipient: string, reply: Reply | undefined): Outcome {
  const { code, status, text } = reply ?? replyTo(undefined)
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
