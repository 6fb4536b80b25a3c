import { isAscii } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import type { Db } from '#/base/db/schema.ts'
import { Refusal } from '#/base/errors.ts'
import { joined } from '#/base/event-loop/pieces.ts'
import type { SigningKeys } from '#/domains/dkim/signing-keys.ts'
import { canonicalAddress, isAddress, splitAddress } from '#/formats/mime/address/address.ts'
import { bareReceivedField } from '#/formats/mime/header/trace.ts'
import type { Message } from '#/formats/mime/message.ts'
import type { MessageReader } from '#/formats/mime/reader.ts'
import type { OpenPgp } from '#/formats/openpgp/openpgp.ts'
import { concealed } from '#/mail/mailboxes/conceal.ts'
import { signed } from '#/out/compose/sign.ts'
import type { Dispatch } from '#/out/delivery/dispatch.ts'
import { oneLargeAtATime } from '#/out/sending/large-messages.ts'
import { protocolOf } from '#/smtp/inbound/arrival/trace.ts'
import { type Admission, admit } from '#/smtp/inbound/recipients/admit.ts'
import type { Envelope, Named } from '#/smtp/protocol/envelope.ts'
import type { AcceptedMessage, MailHandler } from '#/smtp/protocol/mail-handler.ts'
import { NotOurs, Rejection, reply } from '#/smtp/protocol/reply.ts'
import { type Account, notOwnedBy } from './accounts.ts'
import { isReceipt, namedSenders } from './author.ts'
import { completeMessage } from './complete-message.ts'

/** The dependencies of submission. */
export interface SubmitterDependencies {
  readonly db: Db
  readonly admission: Admission
  readonly dispatch: Pick<Dispatch, 'enqueue' | 'wake'>
  readonly signingKeys: SigningKeys
  readonly reader: MessageReader
  readonly openPgp: OpenPgp
  readonly hostname: string
  readonly log: Logger
}

/** The handler for one message of an account. Throws `Rejection` if the account may not send, or not as `sender`. */
export async function submitterFor(
  parts: SubmitterDependencies,
  account: Account,
  sender: string,
): Promise<MailHandler<Named>> {
  if (account.suspended) throw new Rejection(550, '5.7.1', `${account.address} is suspended: it cannot send`)
  if (!account.verified) throw new Rejection(550, '5.7.1', `The domain of ${account.address} is not verified`)
  if (sender !== '') await assertOwn(parts.db, account, [sender])
  if (account.allowance.left === 0) throw allowanceReached(account)
  return new Submitter(parts, account, sender)
}

/** Accepts one message: claims the allowance, enqueues it and stores its Sent copy in one transaction. */
class Submitter implements MailHandler<Named> {
  readonly #parts: SubmitterDependencies
  readonly #account: Account
  readonly #sender: string
  readonly #recipients = new Set<string>()
  readonly fromPrivate: boolean

  constructor(parts: SubmitterDependencies, account: Account, sender: string) {
    this.#parts = parts
    this.#account = account
    this.fromPrivate = account.private
    this.#sender = canonicalAddress(sender) ?? ''
  }

  async admit(sender: string, recipient: string): Promise<Named> {
    const named = await this.#recipient(sender, recipient)
    this.#recipients.add(named)
    if (this.#recipients.size > this.#account.allowance.left) throw allowanceReached(this.#account)
    return { recipient: named }
  }

  /** Permanent refusals of our own mailboxes are known at once. For all others, and for 4xx, the queue tries later. */
  async #recipient(sender: string, recipient: string): Promise<string> {
    try {
      return (await admit(this.#parts.admission, sender, recipient)).recipient
    } catch (error) {
      if (!(error instanceof Rejection)) throw error
      if (!(error instanceof NotOurs) && error.reply.code >= 500) throw error
      if (!isAddress(recipient)) throw new Rejection(553, '5.1.3', 'Invalid recipient address')
      return canonicalAddress(recipient) ?? recipient
    }
  }

  async receive(envelope: Envelope<Named>, bytes: Buffer): Promise<AcceptedMessage> {
    const { db, dispatch, signingKeys, reader, hostname, log } = this.#parts
    const { organizationId, mailboxId, address, name } = this.#account
    const given = await reader.message(bytes)
    const { authors, all } = namedSenders(given)
    await assertOwn(db, this.#account, all)
    if (envelope.sender === '' && !isReceipt(given))
      throw new Rejection(550, '5.7.1', 'Only a read receipt may have the null sender; give your address in MAIL')
    const domains = [...new Set(authors.map((one) => splitAddress(one)?.domain ?? ''))]
    const at = envelope.receivedAt
    const made = completeMessage(given, `<${randomUUID()}@${domains[0]}>`, {
      // RFC 3848: with TLS, its author has logged in here.
      ...{ hostname, protocol: `${protocolOf(envelope)}${envelope.client.tls ? 'A' : ''}`, id: envelope.id, at },
    })
    const keys = (await Promise.all(domains.map((domain) => signingKeys(organizationId, domain)))).flat()
    const raw = await signed(await joined(made.raw), keys, at)
    const copy = await this.#copy(envelope, await reader.message(await joined([...made.secret, raw])))
    const header = raw.subarray(0, raw.indexOf('\r\n\r\n') + 1 || raw.length)
    const recipients = [...new Set(envelope.recipients.map(({ recipient }) => recipient))]
    const sender = { mailboxId, address: this.#sender, domain: splitAddress(address)?.domain ?? '', name }
    const { messageId } = made
    const by = { kind: 'mail_program', id: null, name: this.#account.private ? '' : this.#sender } as const
    const ready = {
      ...{ id: randomUUID(), messageId, organizationId, sender, raw, recipients, copy },
      ...{ copyUnlessThere: messageId, concealed: this.#account.private },
      utf8Header: envelope.utf8 && !isAscii(header),
    }
    try {
      await oneLargeAtATime(raw.length, () => db.transaction().execute((tx) => dispatch.enqueue(tx, ready, by)))
    } catch (error) {
      if (error instanceof Refusal && error.code === 'quota_exceeded') throw allowanceReached(this.#account)
      if (error instanceof Refusal && error.field === 'to') throw new Rejection(550, '5.7.1', error.message)
      throw error
    }
    dispatch.wake()
    const { id, client } = envelope
    log.info(
      {
        ...{ message: id, queued: ready.id, client: client.address, mailbox: mailboxId },
        ...{ sender: this.#sender, ...(!this.#account.private && { recipients }), octets: bytes.length },
      },
      'message submitted',
    )
    return { reply: reply(250, '2.6.0', `Queued as ${ready.id}`), otherwise: new Map() }
  }

  /** The copy for Sent; encrypted for a Private mailbox. */
  async #copy(envelope: Envelope<Named>, message: Message): Promise<Message> {
    if (!this.#account.private) return message
    const { id, receivedAt: at } = envelope
    const received = bareReceivedField({ by: this.#parts.hostname, protocol: protocolOf(envelope), id, at })
    const kept = await concealed(this.#parts, { received, at }, message, this.#account)
    if (!kept) throw new Error('a Private mailbox has a certificate')
    return kept
  }
}

async function assertOwn(db: Db, account: Account, addresses: readonly string[]): Promise<void> {
  const [other] = await notOwnedBy(db, account, addresses)
  if (other === undefined) return
  // The log has all replies, and must not reveal mail of a Private mailbox.
  const named = account.private ? 'that' : printable(other)
  throw new Rejection(553, '5.7.1', `${account.address} may not send as ${named}, which is not one of its addresses`)
}

/** Fit for an SMTP reply. */
function printable(address: string): string {
  return address.replace(/[^\x21-\x7e]/g, '?').slice(0, 254)
}

/** Temporary: tomorrow has a new allowance. */
function allowanceReached({ allowance: { a_day } }: Account): Rejection {
  return new Rejection(
    452,
    '4.7.1',
    `Daily sending allowance reached: the plan allows ${a_day} recipients a day, reset at 00:00 UTC`,
  )
}
