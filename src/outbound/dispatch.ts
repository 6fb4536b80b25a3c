import { randomUUID } from 'node:crypto'
import { joined } from '#/bytes.ts'
import type { Db, Tx } from '#/db/schema.ts'
import type { SharedTime } from '#/db/time.ts'
import type { Message } from '#/mime/message.ts'
import type { MessageReader } from '#/mime/reader.ts'
import type { MailHost } from '#/ports/mail-host.ts'
import type { Relay } from '#/ports/relay.ts'
import type { SealingKey } from '#/seal.ts'
import { claimAllowance } from '#/sending/allowance.ts'
import type { Composer } from '#/sending/composer.ts'
import { type Outgoing, recipientsOf } from '#/sending/outgoing.ts'
import type { Blind } from '#/sending/sealed.ts'
import type { Sender } from '#/sending/sender.ts'
import { insertDeparture } from './departures.ts'
import { localRoute, routesOf } from './local.ts'
import { bccField, storeCopies } from './sent-copy.ts'

/** What sending stands on. */
export interface DispatchParts {
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
  readonly #parts: DispatchParts

  constructor(parts: DispatchParts) {
    this.#parts = parts
  }

  /** Composes and signs, outside any transaction: for a large message that takes a while. */
  async prepare(organizationId: string, sender: Sender, outgoing: Outgoing): Promise<Ready> {
    const { db, time, reader, composer } = this.#parts
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

  /** Claims the day's allowance, puts the message into the queue and its copy into Sent; all that or none with `tx`. */
  async takeOn(tx: Tx, ready: Ready): Promise<void> {
    const { mailHost, relay, time, mailKey, blind } = this.#parts
    const { id, organizationId, sender, raw, recipients } = ready
    await claimAllowance(tx, organizationId, recipients.length)
    const now = await time(tx)
    const routes = await routesOf(tx, relay, recipients)
    const shown = (route: string) => (ready.concealed && route !== localRoute ? blind(route).name : route)
    await insertDeparture(
      tx,
      mailKey,
      {
        id,
        organizationId,
        mailboxId: sender.mailboxId,
        kind: 'sent',
        sender: sender.address,
        raw,
        concealed: ready.concealed ?? false,
        ...(ready.utf8Header !== undefined && { utf8Header: ready.utf8Header }),
        recipients: Array.from(routes, ([recipient, route]) => ({ recipient, route: shown(route) })),
      },
      now,
    )
    const mailbox = { organizationId, mailboxId: sender.mailboxId }
    const copy = { mailbox, message: ready.copy, sentAt: now }
    const unlessThere = ready.copyUnlessThere
    await storeCopies(tx, { mailHost }, [{ ...copy, ...(unlessThere !== undefined && { unlessThere }) }])
  }

  /** To be called once what was taken on is committed, so that it goes at once. */
  wake(): void {
    this.#parts.wake()
  }
}
