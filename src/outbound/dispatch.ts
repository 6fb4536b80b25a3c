import { randomUUID } from 'node:crypto'
import type { Db, Tx } from '#/db/schema.ts'
import type { SharedTime } from '#/db/time.ts'
import { invalid } from '#/errors.ts'
import { joined } from '#/event-loop/pieces.ts'
import { type By, tell } from '#/events/tell.ts'
import type { Message } from '#/mime/message.ts'
import type { MessageReader } from '#/mime/reader.ts'
import { bccField, storeCopies } from '#/outbound/worker/sent-copy.ts'
import type { MailHost } from '#/ports/mail-host.ts'
import type { Relay } from '#/ports/relay.ts'
import { enqueue } from '#/queue/enqueue.ts'
import type { Blind } from '#/queue/sealed.ts'
import type { SealingKey } from '#/secrets/seal.ts'
import { claimAllowance } from '#/sending/allowance.ts'
import type { Composer } from '#/sending/composer.ts'
import { type Outgoing, recipientsOf } from '#/sending/outgoing.ts'
import type { Sender } from '#/sending/sender.ts'
import { sendingEvent } from '#/sent/outcomes.ts'
import { suppressed } from '#/suppressions/suppression.ts'
import { routed, suppressedRoute } from './worker/local.ts'

const unsuppress = 'If mail is wanted there: DELETE /v1/suppressions/{address}'

/** What sending depends on. */
export interface DispatchDependencies {
  readonly db: Db
  readonly mailHost: MailHost
  readonly reader: MessageReader
  readonly relay: Pick<Relay, 'routeOf'>
  readonly time: SharedTime
  readonly composer: Composer
  /** Seals what waits. */
  readonly mailKey: SealingKey
  /** Hides a route, so that those that are one stay together. */
  readonly blind: Blind
  /** Tells the worker, where it is in this process, that something is in the queue. */
  wake(): void
}

/** A message that is ready to go, and its copy for Sent. */
export interface Ready {
  readonly id: string
  readonly messageId: string
  readonly organizationId: string
  readonly sender: Sender
  readonly raw: Buffer
  readonly recipients: readonly string[]
  readonly copy: Message
  /** The Message-ID by which the sender's program may put a copy into Sent itself; then ours is not needed. */
  readonly copyUnlessThere?: string
  /** The mailbox is Private: nobody who looks at the queue sees whom it writes to. */
  readonly concealed?: boolean
  /** Where the header is not of our making: whether it needs SMTPUTF8. */
  readonly utf8Header?: boolean
}

/** Takes on messages that programs send. */
export class Dispatch {
  readonly #deps: DispatchDependencies

  constructor(deps: DispatchDependencies) {
    this.#deps = deps
  }

  /** Composes and signs, outside any transaction: for a large message that takes a while. */
  async prepare(organizationId: string, sender: Sender, outgoing: Outgoing): Promise<Ready> {
    const { db, time, reader, composer } = this.#deps
    const id = randomUUID()
    const messageId = `<${id}@${sender.domain}>`
    const date = await time(db)
    const raw = await composer({ ...sender, organizationId }, outgoing, { messageId, date })
    const copy = await reader.message(
      await joined([Buffer.from(bccField(outgoing.bcc.map(({ address }) => address))), raw]),
    )
    const recipients = recipientsOf(outgoing)
    return { id, messageId, organizationId, sender, raw, recipients, copy }
  }

  /** Claims the day's allowance, puts the message into the queue and its copy into Sent; all that or none with `tx`. Answers the
   *  recipients whom nothing is sent to. @throws Refusal where that is all of them */
  async enqueue(tx: Tx, ready: Ready, by?: By): Promise<readonly string[]> {
    const { mailHost, relay, time, mailKey, blind } = this.#deps
    const { organizationId, sender, copy: message, copyUnlessThere: unlessThere } = ready
    await claimAllowance(tx, organizationId, ready.recipients.length)
    const now = await time(tx)
    const { address, mailboxId } = sender
    const recipients = await routed(tx, { relay, blind }, organizationId, ready.recipients, ready.concealed)
    const refused = recipients.filter(({ route }) => route === suppressedRoute).map(({ recipient }) => recipient)
    if (refused.length === recipients.length) throw invalid('to', suppressed, unsuppress)
    await enqueue(tx, mailKey, { ...ready, kind: 'sent', sender: address, mailboxId, recipients }, now)
    const told = ready.recipients.map((recipient) => ({ address: ready.concealed ? null : recipient }))
    await tell(
      tx,
      sendingEvent({ id: ready.id, organizationId, mailboxId }, 'message.queued', { recipients: told }),
      by,
    )
    const copy = { mailbox: { organizationId, mailboxId }, message, sentAt: now }
    await storeCopies(tx, { mailHost }, [{ ...copy, ...(unlessThere !== undefined && { unlessThere }) }])
    return refused
  }

  /** To be called once what was taken on is committed, so that it goes at once. */
  wake(): void {
    this.#deps.wake()
  }
}
