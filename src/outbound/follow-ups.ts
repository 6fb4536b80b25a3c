import { isAscii } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import { joined } from '#/bytes.ts'
import type { Db, Tx } from '#/db/schema.ts'
import type { SharedTime } from '#/db/time.ts'
import type { SigningKeys } from '#/domains/signing-keys.ts'
import { claimAnswer, countRelayed, type InForce, inForceOf } from '#/forwarding/arrival.ts'
import { reaches } from '#/forwarding/forwarding.ts'
import { countReturned } from '#/forwarding/returns.ts'
import type { Verdict } from '#/inbound/authenticate.ts'
import type { Envelope } from '#/inbound/envelope.ts'
import { canonicalAddress, isAddress, splitAddress } from '#/mime/address.ts'
import type { LookUp } from '#/mime/dkim.ts'
import type { Message } from '#/mime/message.ts'
import { type RelayMarkKey, relayMark, relayMarkField } from '#/mime/relay-mark.ts'
import { deliveredToField } from '#/mime/trace.ts'
import type { Relay } from '#/ports/relay.ts'
import type { SealingKey } from '#/seal.ts'
import type { Blind } from '#/sending/sealed.ts'
import { answer } from './answer.ts'
import { arcSet } from './arc.ts'
import { whyNotAnswered } from './auto-reply.ts'
import { type Departure, insertDeparture } from './departures.ts'
import { localRoute, routesOf } from './local.ts'
import { hasPassed, losesItsProof, underOwnName, whyNotRelayed } from './relaying.ts'
import { keepReturnPath } from './return-paths.ts'
import { signatures } from './sign.ts'
import type { Srs } from './srs.ts'

/** What following up stands on. */
export interface FollowUpParts {
  readonly db: Db
  readonly time: SharedTime
  readonly relay: Pick<Relay, 'routeOf'>
  readonly srs: Srs
  readonly markKey: RelayMarkKey
  readonly log: Logger
  /** Finds the keys of whoever has sealed a message before; of one message, within seconds. */
  lookUps(): LookUp
  readonly signingKeys: SigningKeys
  /** Seals what waits. */
  readonly mailKey: SealingKey
  readonly blind: Blind
  /** Tells the worker, where it is in this process, that something is in the queue. */
  wake(): void
}

/** A message that has arrived and is about to be stored. */
export interface Arrived {
  readonly envelope: Envelope
  /** As it came. */
  readonly message: Message
  readonly verdict: Verdict
  /** As an Authentication-Results field. */
  results(): string
  /** As a Received field, for the mailbox alone. */
  received(recipient: string): string
  /** By which the message is known, however it comes in again. */
  readonly digest: Buffer
  /** The mailboxes that do something by themselves, and where the message will lie in them. */
  readonly places: readonly { readonly mailboxId: string; readonly folder: string }[]
}

/** A message that is for an author of what was forwarded here. */
export type Report = Pick<Arrived, 'envelope' | 'message' | 'verdict' | 'results' | 'received'>

/** What is to be done because a message was stored: with the transaction that stores it, or not at all. */
export interface FollowUp {
  /** The mailbox whose copy it follows; null where it does so in any case. */
  readonly mailboxId: string | null
  /** Follow-ups are written in this order, so that two processes never wait for each other in a circle. */
  readonly order: string
  write(tx: Tx): Promise<void>
}

/** Passes on and answers what arrives, for mailboxes that ask for it, and sends back what comes to a rewritten sender. */
export class FollowUps {
  readonly #parts: FollowUpParts

  constructor(parts: FollowUpParts) {
    this.#parts = parts
  }

  /** Composes, seals and signs what may go, outside any transaction. */
  async prepare(arrived: Arrived): Promise<FollowUp[]> {
    if (arrived.places.length === 0) return []
    const { db, time } = this.#parts
    const now = await time(db)
    const folders = new Map(arrived.places.map(({ mailboxId, folder }) => [mailboxId, folder]))
    const followUps: FollowUp[] = []
    for (const mailbox of await inForceOf(db, [...folders.keys()], now)) {
      const folder = folders.get(mailbox.mailboxId) ?? ''
      if (mailbox.forwardTo !== null && this.#mayRelay(arrived, mailbox, folder)) {
        followUps.push(await this.#relayed(arrived, mailbox, mailbox.forwardTo, now))
      }
      if (mailbox.reply !== null && this.#mayAnswer(arrived, mailbox, folder)) {
        followUps.push(await this.#answered(arrived, mailbox, mailbox.reply, now))
      }
    }
    return followUps
  }

  /** A bounce for a sender that was rewritten here goes on to whom it was meant for. */
  returned({ envelope, message, verdict, ...report }: Report, to: Returned): FollowUp {
    const { organizationId, recipient, returnTo, forwardedBy } = to
    return {
      mailboxId: null,
      order: `${forwardedBy} 3 ${returnTo}`,
      write: async (tx) => {
        const counted = { organizationId, mailboxId: forwardedBy, returnTo }
        if (!(await countReturned(tx, counted, await this.#parts.time(tx)))) {
          const reason = 'the day has had its share'
          return this.#parts.log.info({ message: envelope.id, mailbox: forwardedBy, reason }, 'not sent back')
        }
        const raw = await joined([Buffer.from(report.received(recipient)), message.raw])
        const found = verdict.own ? null : { ...verdict, found: report.results() }
        const departure = {
          organizationId,
          mailboxId: null,
          kind: 'returned',
          sender: '',
          raw,
          verdict: found,
        } as const
        await this.#depart(tx, { ...departure, recipient: returnTo, utf8Header: false })
      },
    }
  }

  /** To be called once what was stored is committed. */
  wake(): void {
    this.#parts.wake()
  }

  #mayRelay({ envelope, message }: Arrived, { address, mailboxId }: InForce, folder: string): boolean {
    const reason = whyNotRelayed(message.headers, address, folder)
    if (reason) this.#parts.log.info({ message: envelope.id, mailbox: mailboxId, reason }, 'not forwarded')
    return reason === undefined
  }

  #mayAnswer({ envelope, message, verdict }: Arrived, mailbox: InForce, folder: string): boolean {
    const { sender } = envelope
    const reason = isAddress(sender)
      ? whyNotAnswered({ message, sender, folder, verdict }, (address) => reaches(mailbox, address))
      : 'it has no sender to answer'
    if (reason) this.#parts.log.info({ message: envelope.id, mailbox: mailbox.mailboxId, reason }, 'not answered')
    return reason === undefined
  }

  /** The copy as it goes on: its bytes as they came, but for From where DMARC leaves no choice, behind what we add. */
  async #relayed(arrived: Arrived, mailbox: InForce, to: string, now: Date): Promise<FollowUp> {
    const { db, srs, markKey } = this.#parts
    const { envelope, message, verdict, digest } = arrived
    const { address, mailboxId, organizationId } = mailbox
    const { domain = '' } = splitAddress(address) ?? {}
    const { sender, kept } = srs.rewrite(envelope.sender, { mailboxId, domain }, now)
    if (kept) await keepReturnPath(db, kept, now)
    const keys = await this.#parts.signingKeys(organizationId, domain)
    const { header, body } = split(message.raw)
    // What has not passed goes as it came, under no name of ours.
    const passed = hasPassed(verdict)
    const rewrite = passed && losesItsProof(verdict.dmarc)
    const shown = rewrite ? underOwnName(message, header, address) : header
    const mark = relayMark(markKey, message.headers) ? '' : relayMarkField(markKey, digest)
    const ours = Buffer.from(deliveredToField(address) + mark + arrived.received(address))
    const plain = await joined([ours, shown, body])
    const signed = Buffer.from(rewrite ? await signatures(plain, keys, now) : '')
    const key = passed ? keys.find(({ algorithm }) => algorithm === 'rsa') : undefined
    const results = arrived
      .results()
      .replace(/^[^:]*:\s*/, '')
      .trimEnd()
    const raw = signed.length > 0 ? await joined([signed, plain]) : plain
    const seal = key ? await arcSet({ message, raw, results, key, at: now }, this.#parts.lookUps()) : ''
    const front = Buffer.concat([Buffer.from(seal), signed, ours, shown])
    return {
      mailboxId,
      order: `${mailboxId} 1`,
      write: async (tx) => {
        if (!(await countRelayed(tx, mailbox, await this.#parts.time(tx)))) {
          const reason = 'it is switched off meanwhile, or the day has had its share'
          return this.#parts.log.info({ message: envelope.id, mailbox: mailboxId, reason }, 'not forwarded')
        }
        const raw = await joined([front, body])
        const found = rewrite || verdict.own ? null : { ...verdict, found: arrived.results() }
        const departure = { organizationId, mailboxId, kind: 'relayed', sender, raw, verdict: found } as const
        const utf8Header = envelope.utf8 && !isAscii(front)
        await this.#depart(tx, { ...departure, recipient: to, utf8Header })
      },
    }
  }

  async #answered(
    { envelope, message }: Arrived,
    mailbox: InForce,
    reply: NonNullable<InForce['reply']>,
    now: Date,
  ): Promise<FollowUp> {
    const { mailboxId, organizationId, address } = mailbox
    const recipient = canonicalAddress(envelope.sender) ?? envelope.sender
    const { domain = '' } = splitAddress(address) ?? {}
    const keys = await this.#parts.signingKeys(organizationId, domain)
    const raw = await answer({ mailbox, reply, to: recipient, message, keys, at: now })
    return {
      mailboxId,
      order: `${mailboxId} 2 ${recipient}`,
      write: async (tx) => {
        // Who writes to a Private mailbox is a secret.
        const known = mailbox.private ? this.#parts.blind(recipient) : { name: recipient, before: [] }
        if (!(await claimAnswer(tx, mailbox, known, await this.#parts.time(tx)))) {
          const reason = 'it is switched off meanwhile, its sender was answered lately, or the day has had its share'
          return this.#parts.log.info({ message: envelope.id, mailbox: mailboxId, reason }, 'not answered')
        }
        const departure = { organizationId, mailboxId, kind: 'reply', sender: '', recipient, raw } as const
        await this.#depart(tx, { ...departure, concealed: mailbox.private })
      },
    }
  }

  async #depart(
    tx: Tx,
    { recipient, ...departure }: Omit<Departure, 'id' | 'recipients'> & { recipient: string },
  ): Promise<void> {
    const { relay, mailKey, blind } = this.#parts
    const now = await this.#parts.time(tx)
    const routes = await routesOf(tx, relay, [recipient])
    const shown = (route: string) => (departure.concealed && route !== localRoute ? blind(route).name : route)
    const recipients = Array.from(routes, ([recipient, route]) => ({ recipient, route: shown(route) }))
    await insertDeparture(tx, mailKey, { ...departure, id: randomUUID(), recipients }, now)
  }
}

/** A recipient that stands for somebody else: a sender that was rewritten here. */
export interface Returned {
  readonly organizationId: string
  readonly recipient: string
  readonly returnTo: string
  /** The mailbox that forwarded what it is about. */
  readonly forwardedBy: string
}

function split(raw: Buffer): { header: Buffer; body: Buffer } {
  const end = raw.indexOf('\r\n\r\n')
  const at = end < 0 ? raw.length : end + 2
  return { header: raw.subarray(0, at), body: raw.subarray(at) }
}
