import { randomUUID } from 'node:crypto'
import { collected } from '#/bytes.ts'
import type { Clock } from '#/ports/clock.ts'
import type { Delivery, Outcome, Relay } from '#/ports/relay.ts'
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
 *  suspended recipients, blocks, filters. It comes once, however often it is handed over. */
export class OwnDoor implements Pick<Relay, 'deliver'> {
  readonly #reception: Reception
  readonly #admission: Admission
  readonly #clock: Clock

  constructor(reception: Reception, admission: Admission, clock: Clock) {
    this.#reception = { ...reception, authenticate: async () => vouched }
    this.#admission = admission
    this.#clock = clock
  }

  async deliver(delivery: Delivery): Promise<readonly Outcome[]> {
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
    { sender, smtpUtf8 }: Delivery,
    recipients: readonly (Admitted | Returning)[],
    bytes: Buffer,
  ): Promise<Reply> {
    const { hostname } = this.#reception
    const client = { address: '127.0.0.1', helo: hostname, protocol: 'ESMTP', tls: undefined } as const
    const receivedAt = new Date(this.#clock.now())
    try {
      const { reply } = await receive(
        this.#reception,
        { id: randomUUID(), receivedAt, client, origin: client, sender, utf8: smtpUtf8, recipients },
        bytes,
      )
      return reply
    } catch (error) {
      return replyTo(error)
    }
  }
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
