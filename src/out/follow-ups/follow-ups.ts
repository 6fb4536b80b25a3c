import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import type { Db, Tx } from '#/base/db/schema.ts'
import type { SharedTime } from '#/base/db/time.ts'
import { joined } from '#/base/event-loop/pieces.ts'
import type { SealingKey } from '#/base/secrets/seal.ts'
import { registeredDomain } from '#/domains/name.ts'
import { canonicalAddress, isAddress, splitAddress, untagged } from '#/formats/mime/address/address.ts'
import { type RelayMarkKey, relayMark, relayMarkField } from '#/formats/mime/authentication/relay-mark.ts'
import type { Verdict } from '#/formats/mime/authentication/verdict.ts'
import { deliveredToField } from '#/formats/mime/header/trace.ts'
import type { Message } from '#/formats/mime/message.ts'
import { routed } from '#/out/delivery/local.ts'
import { type Answered, claimAnswer, countRelayed, type InForce, inForceOf } from '#/out/forwarding/arrival.ts'
import { reaches } from '#/out/forwarding/forwarding.ts'
import { countReturned } from '#/out/forwarding/returns.ts'
import { enqueue, type NewMessage } from '#/out/queue/enqueue.ts'
import type { Blind } from '#/out/queue/sealed.ts'
import type { Relay } from '#/out/relay/relay.ts'
import { whyNotAnswered } from './auto-reply.ts'
import type { RelayedSource, ReplySource } from './compose-follow-up.ts'
import { whyNotRelayed } from './relaying.ts'

/** What follow-ups depend on. */
export interface FollowUpDependencies {
  readonly db: Db
  readonly time: SharedTime
  readonly relay: Pick<Relay, 'routeOf'>
  readonly markKey: RelayMarkKey
  readonly log: Logger
  /** The key that seals queued mail. */
  readonly mailKey: SealingKey
  readonly blind: Blind
  /** Wakes the worker in this process, if there is one. */
  wake(): void
}

/** A message that is about to be stored. */
export interface Arrived {
  readonly envelope: { readonly id: string; readonly sender: string; readonly utf8: boolean }
  /** As it arrived. */
  readonly message: Message
  readonly verdict: Verdict
  /** As an Authentication-Results field. */
  results(): string
  /** As a Received field, for the mailbox alone. */
  received(recipient: string): string
  /** Identifies the message, however it arrives again. */
  readonly digest: Buffer
  /** The mailboxes that forward or answer, and the folder of the message in each. */
  readonly places: readonly { readonly mailboxId: string; readonly folder: string }[]
}

/** A message for the author of a forwarded one. */
export type Report = Pick<Arrived, 'envelope' | 'message' | 'verdict' | 'results' | 'received'>

/** An action that a stored message causes. The transaction that stores the message writes it, or nothing does. */
export interface FollowUp {
  /** The mailbox whose copy causes it; null if it does not depend on a copy. */
  readonly mailboxId: string | null
  /** Follow-ups are written in this order, so that two processes never deadlock. */
  readonly order: string
  write(tx: Tx): Promise<void>
}

/** Forwards and answers arriving mail for mailboxes that are set to, and returns mail to a rewritten sender. */
export class FollowUps {
  readonly #deps: FollowUpDependencies

  constructor(deps: FollowUpDependencies) {
    this.#deps = deps
  }

  /** Decides on follow-ups before the message is stored, without the DNS. */
  async prepare(arrived: Arrived): Promise<FollowUp[]> {
    if (arrived.places.length === 0) return []
    const { db, time } = this.#deps
    const now = await time(db)
    const folders = new Map(arrived.places.map(({ mailboxId, folder }) => [mailboxId, folder]))
    const followUps: FollowUp[] = []
    for (const mailbox of await inForceOf(db, [...folders.keys()], now)) {
      const folder = folders.get(mailbox.mailboxId) ?? ''
      if (mailbox.forwardTo !== null && this.#mayRelay(arrived, mailbox, folder)) {
        followUps.push(this.#relayed(arrived, mailbox, mailbox.forwardTo))
      }
      if (mailbox.reply !== null && this.#mayAnswer(arrived, mailbox, folder)) {
        followUps.push(this.#answered(arrived, mailbox, mailbox.reply))
      }
    }
    return followUps
  }

  /** A bounce to a sender that was rewritten here goes to the original sender. */
  returned({ envelope, message, verdict, ...report }: Report, to: Returned): FollowUp {
    const { organizationId, recipient, returnTo, forwardedBy } = to
    return {
      mailboxId: null,
      order: `${forwardedBy} 3 ${returnTo}`,
      write: async (tx) => {
        const counted = { organizationId, mailboxId: forwardedBy, returnTo }
        if (!(await countReturned(tx, counted, await this.#deps.time(tx)))) {
          const reason = 'the limit of the day is reached'
          return this.#deps.log.info({ message: envelope.id, mailbox: forwardedBy, reason }, 'not sent back')
        }
        const raw = await joined([Buffer.from(report.received(recipient)), message.raw])
        const found = verdict.own ? null : { ...verdict, found: report.results() }
        const returning = {
          organizationId,
          mailboxId: null,
          kind: 'returned',
          sender: '',
          raw,
          verdict: found,
        } as const
        await this.#enqueue(tx, { ...returning, recipient: returnTo, utf8Header: false })
      },
    }
  }

  /** To be called after the commit. */
  wake(): void {
    this.#deps.wake()
  }

  #mayRelay({ envelope, message }: Arrived, { address, mailboxId }: InForce, folder: string): boolean {
    const reason = whyNotRelayed(message.headers, address, folder)
    if (reason) this.#deps.log.info({ message: envelope.id, mailbox: mailboxId, reason }, 'not forwarded')
    return reason === undefined
  }

  #mayAnswer({ envelope, message, verdict }: Arrived, mailbox: InForce, folder: string): boolean {
    const { sender } = envelope
    const reason = isAddress(sender)
      ? whyNotAnswered({ message, sender, folder, verdict }, (address) => reaches(mailbox, address))
      : 'it has no sender to answer'
    if (reason) this.#deps.log.info({ message: envelope.id, mailbox: mailbox.mailboxId, reason }, 'not answered')
    return reason === undefined
  }

  /** The forwarded copy, which a worker composes. */
  #relayed(arrived: Arrived, mailbox: InForce, to: string): FollowUp {
    const { envelope, message, verdict, digest } = arrived
    const { address, mailboxId, organizationId } = mailbox
    const { markKey, log, time } = this.#deps
    const mark = relayMark(markKey, message.headers) ? '' : relayMarkField(markKey, digest)
    const source: RelayedSource = {
      front: deliveredToField(address) + mark + arrived.received(address),
      results: arrived.results(),
      ...{ address, utf8: envelope.utf8 },
    }
    return {
      mailboxId,
      order: `${mailboxId} 1`,
      write: async (tx) => {
        if (!(await countRelayed(tx, mailbox, await time(tx)))) {
          const reason = 'it was switched off, or the limit of the day is reached'
          return log.info({ message: envelope.id, mailbox: mailboxId, reason }, 'not forwarded')
        }
        const { sender } = envelope
        const found = { ...verdict, found: source.results }
        const relayed = {
          organizationId,
          mailboxId,
          kind: 'relayed',
          sender,
          raw: message.raw,
          verdict: found,
        } as const
        await this.#enqueue(tx, { ...relayed, source, recipient: to })
      },
    }
  }

  /** The automatic answer, which a worker composes. */
  #answered({ envelope, message }: Arrived, mailbox: InForce, reply: NonNullable<InForce['reply']>): FollowUp {
    const { mailboxId, organizationId, address, name } = mailbox
    const { messageId, strong, subject } = message
    const { blind, log, time } = this.#deps
    const recipient = canonicalAddress(envelope.sender) ?? envelope.sender
    const source: ReplySource = { mailbox: { address, name }, reply, message: { messageId, strong, subject } }
    return {
      mailboxId,
      order: `${mailboxId} 2 ${recipient}`,
      write: async (tx) => {
        // The senders of mail to a Private mailbox are confidential.
        const known = answeredAs(recipient, mailbox.private ? blind : shown)
        if (!(await claimAnswer(tx, mailbox, known, await time(tx)))) {
          const reason =
            'it was switched off, its sender was answered within four days, or the limit of the day is reached, for its domain or all'
          return log.info({ message: envelope.id, mailbox: mailboxId, reason }, 'not answered')
        }
        const answer = { organizationId, mailboxId, kind: 'reply', sender: '', raw: Buffer.alloc(0), source } as const
        await this.#enqueue(tx, { ...answer, recipient, concealed: mailbox.private })
      },
    }
  }

  async #enqueue(
    tx: Tx,
    { recipient, ...message }: Omit<NewMessage, 'id' | 'recipients'> & { recipient: string },
  ): Promise<void> {
    const { mailKey, time } = this.#deps
    const now = await time(tx)
    const recipients = await routed(tx, this.#deps, message.organizationId, [recipient], message.concealed)
    await enqueue(tx, mailKey, { ...message, id: randomUUID(), recipients }, now)
  }
}

const shown: Blind = (text) => ({ name: text, before: [] })

/** How a sender who has been answered is remembered. It may use another tag in each message, or another address of its domain. */
function answeredAs(sender: string, as: Blind): Answered {
  const address = as(untagged(sender))
  const domain = as(registeredDomain(splitAddress(sender)?.domain ?? ''))
  const ofDomain = [domain.name, ...domain.before].map((name) => `${name} `)
  const before = domain.before.flatMap((name, at) => (address.before[at] ? [`${name} ${address.before[at]}`] : []))
  return { name: `${domain.name} ${address.name}`, before, ofDomain }
}

/** A rewritten sender of ours as a recipient, in place of the original sender. */
export interface Returned {
  readonly organizationId: string
  readonly recipient: string
  readonly returnTo: string
  /** The mailbox that forwarded the original message. */
  readonly forwardedBy: string
}
