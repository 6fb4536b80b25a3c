import type { Logger } from 'pino'
import type { Clock } from '#/base/clock/clock.ts'
import type { Db } from '#/base/db/schema.ts'
import { appendEvents, type NewEvent } from '#/base/event-log/append.ts'
import { storable } from '#/base/text/text.ts'
import type { Envelope } from '#/smtp/protocol/envelope.ts'
import type { MailHandler } from '#/smtp/protocol/mail-handler.ts'
import { loggedSender, type RefusedFor, Rejection } from '#/smtp/protocol/reply.ts'

/** How long refusals are batched, and over what time they are counted, in milliseconds. */
const batchMs = 200
const minute = 60_000

/** Events of an organization in a minute: guesses of addresses must not fill the log. */
const mostAMinute = 100

/** Records refused mail in the event log after the replies: no client waits for it. */
export class RefusedMail implements AsyncDisposable {
  readonly #db: Db
  readonly #log: Logger
  readonly #clock: Clock
  #waiting: NewEvent[] = []
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()
  #since = 0
  readonly #counts = new Map<string, number>()

  constructor({ db, log, clock }: { readonly db: Db; readonly log: Logger; readonly clock: Clock }) {
    this.#db = db
    this.#log = log
    this.#clock = clock
  }

  /** The same handler; its refusals are recorded. */
  recorded(handler: MailHandler): MailHandler {
    const { admit, receive } = handler
    return {
      ...handler,
      admit: (sender, recipient) =>
        admit(sender, recipient).catch((error: unknown) => {
          if (error instanceof Rejection && error.refusedFor)
            this.#note(error.refusedFor, recipient, loggedSender(sender, error.concealed))
          throw error
        }),
      receive: (envelope, bytes) =>
        receive(envelope, bytes).catch((error: unknown) => {
          if (error instanceof Rejection && error.refusedFor) this.#noteAll(error.refusedFor, envelope)
          throw error
        }),
    }
  }

  #noteAll(refused: RefusedFor, { sender, recipients }: Envelope): void {
    for (const one of recipients) {
      if (!('mailboxId' in one)) continue
      const { organizationId, mailboxId, recipient } = one
      this.#note({ ...refused, organizationId, mailboxId }, recipient, loggedSender(sender, one.private))
    }
  }

  #note({ because, organizationId, mailboxId }: RefusedFor, recipient: string, sender: string | undefined): void {
    if (organizationId === undefined || this.#isFull(organizationId)) return
    const data = { sender: sender === undefined ? null : storable(sender), recipient: storable(recipient), because }
    this.#waiting.push({ organizationId, type: 'message.refused', mailboxId: mailboxId ?? null, data })
    this.#timer ??= setTimeout(() => this.#write(), batchMs)
  }

  #isFull(organizationId: string): boolean {
    const now = this.#clock.now()
    if (Math.abs(now - this.#since) > minute) {
      this.#since = now
      this.#counts.clear()
    }
    const count = (this.#counts.get(organizationId) ?? 0) + 1
    this.#counts.set(organizationId, count)
    return count > mostAMinute
  }

  #write(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const events = this.#waiting.splice(0)
    if (events.length === 0) return
    this.#writing = this.#writing
      .then(() => this.#db.transaction().execute((tx) => appendEvents(tx, events)))
      .catch((err) => this.#log.error({ err }, 'refused mail is missing in the event log'))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#write()
    await this.#writing
  }
}
