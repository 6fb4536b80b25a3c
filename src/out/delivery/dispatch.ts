import { randomUUID } from 'node:crypto'
import type { Db, Tx } from '#/base/db/schema.ts'
import type { SharedTime } from '#/base/db/time.ts'
import { invalid, Refusal } from '#/base/errors.ts'
import { appendEvents, type By, type NewEvent } from '#/base/event-log/append.ts'
import { joined } from '#/base/event-loop/pieces.ts'
import type { SealingKey } from '#/base/secrets/seal.ts'
import type { IdHashKey } from '#/formats/mime/id-hash.ts'
import type { Message } from '#/formats/mime/message.ts'
import type { MessageReader } from '#/formats/mime/reader.ts'
import { bccField, type SentCopy, storeCopies } from '#/out/delivery/sent-copy.ts'
import { enqueue } from '#/out/queue/enqueue.ts'
import type { Blind } from '#/out/queue/sealed.ts'
import type { Relay } from '#/out/relay/relay.ts'
import { claimEach } from '#/out/sending/allowance.ts'
import type { Composer } from '#/out/sending/composer.ts'
import { type Outgoing, recipientsOf } from '#/out/sending/outgoing.ts'
import type { Sender } from '#/out/sending/sender.ts'
import { sendingEvent } from '#/out/sent/outcomes.ts'
import { suppressed } from '#/out/suppressions/suppression.ts'
import { routed, suppressedRoute } from './local.ts'

const unsuppress = 'If mail is wanted there: DELETE /v1/suppressions/{address}'

/** What sending depends on. */
export interface DispatchDependencies {
  readonly db: Db
  readonly idKey: IdHashKey
  readonly reader: MessageReader
  readonly relay: Pick<Relay, 'routeOf'>
  readonly time: SharedTime
  readonly composer: Composer
  /** The key that seals queued mail. */
  readonly mailKey: SealingKey
  /** Hides a route, so that equal routes stay equal. */
  readonly blind: Blind
  /** Wakes the worker in this process, if there is one. */
  wake(): void
}

/** A composed and signed message, and its copy for Sent. */
export interface Ready {
  readonly id: string
  readonly messageId: string
  readonly organizationId: string
  readonly sender: Sender
  readonly raw: Buffer
  readonly recipients: readonly string[]
  readonly copy: Message
  /** The Message-ID of a copy that the sender's program may store in Sent itself. Then ours is not needed. */
  readonly copyUnlessThere?: string
  /** The mailbox is Private: the queue must not show its recipients. */
  readonly concealed?: boolean
  /** For a header that others made: whether it needs SMTPUTF8. */
  readonly utf8Header?: boolean
}

/** Messages that are composed concurrently. */
const mostAtATime = 10

interface Sendable {
  readonly sender: Sender
  readonly outgoing: Outgoing
}

/** Enqueues messages that API clients and mail programs send. */
export class Dispatch {
  readonly #deps: DispatchDependencies

  constructor(deps: DispatchDependencies) {
    this.#deps = deps
  }

  /** Composes and signs, outside any transaction: a large message takes a while. */
  async prepare(organizationId: string, sender: Sender, outgoing: Outgoing): Promise<Ready> {
    return this.#prepare(organizationId, { sender, outgoing }, await this.#deps.time(this.#deps.db))
  }

  /** The same for several messages, some of them concurrently. */
  async prepareAll(organizationId: string, messages: readonly Sendable[]): Promise<Ready[]> {
    const date = await this.#deps.time(this.#deps.db)
    const ready: Ready[] = []
    for (let at = 0; at < messages.length; at += mostAtATime) {
      const some = messages.slice(at, at + mostAtATime)
      ready.push(...(await Promise.all(some.map((one) => this.#prepare(organizationId, one, date)))))
    }
    return ready
  }

  async #prepare(organizationId: string, { sender, outgoing }: Sendable, date: Date): Promise<Ready> {
    const { reader, composer } = this.#deps
    const id = randomUUID()
    const messageId = `<${id}@${sender.domain}>`
    const raw = await composer({ ...sender, organizationId }, outgoing, { messageId, date })
    const copy = await reader.message(
      await joined([Buffer.from(bccField(outgoing.bcc.map(({ address }) => address))), raw]),
    )
    const recipients = recipientsOf(outgoing)
    return { id, messageId, organizationId, sender, raw, recipients, copy }
  }

  /** Claims the day's allowance, enqueues the message and stores its copy in Sent, all in `tx`. Answers the suppressed
   *  recipients. @throws Refusal if all are suppressed */
  async enqueue(tx: Tx, ready: Ready, by?: By): Promise<readonly string[]> {
    const [refused = []] = await this.enqueueAll(tx, [ready], by)
    if (refused instanceof Refusal) throw refused
    return refused
  }

  /** The same for messages of one organization; if several, none is concealed. Each is judged by itself, in order.
   *  Answers its suppressed recipients, or why nothing is done for it. */
  async enqueueAll(tx: Tx, all: readonly Ready[], by?: By): Promise<(readonly string[] | Refusal)[]> {
    const { idKey, relay, time, mailKey, blind } = this.#deps
    const [first] = all
    if (!first) return []
    const { organizationId, concealed } = first
    const addresses = [...new Set(all.flatMap(({ recipients }) => recipients))]
    const routes = await routed(tx, { relay, blind }, organizationId, addresses, concealed)
    const wanted = all.map((ready) => {
      const own = new Set(ready.recipients)
      return { ready, recipients: routes.filter(({ recipient }) => own.has(recipient)) }
    })
    const claims = await claimEach(
      tx,
      organizationId,
      wanted.map(({ recipients }) => (recipients.every(isSuppressed) ? 0 : recipients.length)),
    )
    const now = await time(tx)
    const outcomes: (readonly string[] | Refusal)[] = []
    const events: NewEvent[] = []
    const copies: SentCopy[] = []
    for (const [index, { ready, recipients }] of wanted.entries()) {
      const refused = recipients.filter(isSuppressed)
      const refusal = refused.length === recipients.length ? invalid('to', suppressed, unsuppress) : claims[index]
      outcomes.push(refusal ?? refused.map(({ recipient }) => recipient))
      if (refusal) continue
      const { address, mailboxId } = ready.sender
      await enqueue(tx, mailKey, { ...ready, kind: 'sent', sender: address, mailboxId, recipients }, now)
      const shown = ready.recipients.map((recipient) => ({ address: ready.concealed ? null : recipient }))
      events.push(...sendingEvent({ id: ready.id, organizationId, mailboxId }, 'message.queued', { recipients: shown }))
      copies.push({
        ...{ mailbox: { organizationId, mailboxId }, message: ready.copy, sentAt: now },
        ...(ready.copyUnlessThere !== undefined && { unlessThere: ready.copyUnlessThere }),
      })
    }
    await appendEvents(tx, events, by)
    if (copies.length > 0) await storeCopies(tx, idKey, copies, by)
    return outcomes
  }

  /** To be called after the commit, so that the messages are sent at once. */
  wake(): void {
    this.#deps.wake()
  }
}

function isSuppressed({ route }: { readonly route: string }): boolean {
  return route === suppressedRoute
}
