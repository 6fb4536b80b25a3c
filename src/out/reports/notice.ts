import { randomBytes, randomUUID } from 'node:crypto'
import { encode, wrap } from 'nodemailer/lib/qp'
import { withoutControls } from '#/formats/mime/charset.ts'
import { messageDate } from '#/formats/mime/header/date.ts'
import type { News } from '#/out/delivery/dependencies.ts'
import { mayHaveArrived } from '#/out/queue/ambiguous.ts'
import { expiryOf, type QueuedMessage } from '#/out/queue/message.ts'

/** The contents of a notice. */
export interface NoticeDependencies {
  /** This host, which reports. */
  readonly hostname: string
  /** The sender of the message, who gets the notice. */
  readonly to: string
  readonly about: About
  readonly at: Date
}

/** What the notice shows of the message. */
export interface About {
  readonly header: string
  /** `<…>`, the message's own last; empty if it has no usual id. */
  readonly references: readonly string[]
  readonly subject: string
}

/** A delivery status notification (RFC 3464, RFC 6522) in CRLF lines: text for people, the same for programs, and the header
 *  of the message. It leaves out the body, which a bounce to a forged sender would carry to a stranger. Replies of a peer
 *  are quoted within ASCII lines; they can neither end a line nor begin a part. */
export function notice(
  message: QueuedMessage,
  news: News,
  { hostname, to, about: { header, references, subject: its }, at }: NoticeDependencies,
): Buffer {
  const { kind, about } = news
  const boundary = `=_${randomBytes(16).toString('hex')}`
  const failed = kind === 'failed'
  const subject = failed ? 'Undelivered mail returned to its sender' : 'Delayed mail: still being tried'
  const lines = [
    `From: Mail Delivery System <mailer-daemon@${hostname}>`,
    `To: <${to}>`,
    `Subject: ${subject}`,
    `Date: ${messageDate(at)}`,
    `Message-ID: <${randomUUID()}@${hostname}>`,
    ...references.slice(-1).map((messageId) => `In-Reply-To: ${messageId}`),
    ...(references.length > 0 ? [`References: ${references.join('\r\n ')}`] : []),
    'Auto-Submitted: auto-replied',
    'MIME-Version: 1.0',
    `Content-Type: multipart/report; report-type=delivery-status; boundary="${boundary}"`,
    '',
    `--${boundary}`,
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: quoted-printable',
    '',
    quotedPrintable(words(message, its, news, hostname)),
    `--${boundary}`,
    'Content-Type: message/delivery-status',
    '',
    `Reporting-MTA: dns; ${hostname}`,
    `Arrival-Date: ${messageDate(message.queuedAt)}`,
    ...about.flatMap(({ outcome }) => [
      '',
      `Final-Recipient: ${recipientField(outcome.recipient)}`,
      `Action: ${kind}`,
      `Status: ${statusFor(kind, outcome.status)}`,
      ...(outcome.host === null ? [] : [`Remote-MTA: dns; ${field(outcome.host)}`]),
      ...(outcome.reply === null ? [] : [`Diagnostic-Code: smtp; ${field(outcome.reply)}`]),
      ...(failed ? [] : [`Will-Retry-Until: ${messageDate(expiryOf(message))}`]),
    ]),
    '',
    `--${boundary}`,
    'Content-Type: text/rfc822-headers',
    'Content-Transfer-Encoding: quoted-printable',
    '',
    quotedPrintable(header),
    `--${boundary}--`,
    '',
  ]
  return Buffer.from(lines.join('\r\n'))
}

function words(message: QueuedMessage, subject: string, { kind, about }: News, hostname: string): string {
  const who = about.map(({ outcome: { recipient, reason, reply, host }, attempts, ambiguousAt }) =>
    [
      `  ${recipient}`,
      `    ${reason}.`,
      ...(reply === null ? [] : [`    ${host ?? 'The mail host'} said: ${reply}`]),
      ...(ambiguousAt === null ? [] : [`    ${mayHaveArrived([{ recipient, at: ambiguousAt }])}.`]),
      `    Tried ${attempts === 1 ? 'once' : `${attempts} times`}.`,
    ].join('\r\n'),
  )
  const start =
    kind === 'failed'
      ? `Your message was not delivered to the recipients below. No further attempt is made.`
      : `Your message is not delivered yet to the recipients below. Do not send it again: Mailroom tries until ${expiryOf(message).toUTCString()}.`
  return [
    start,
    '',
    who.join('\r\n\r\n'),
    '',
    `The message: ${subject || '(no subject)'}, of ${message.queuedAt.toUTCString()}`,
    '',
    `Mailroom at ${hostname}`,
    '',
  ].join('\r\n')
}

/** A failure has a permanent status, whatever the last attempt's was (RFC 3463, section 2); a delay has not. */
function statusFor(kind: News['kind'], status: string): string {
  const [, rest = '0.0'] = /^[245]\.(\d{1,3}\.\d{1,3})$/.exec(status) ?? []
  return `${kind === 'failed' ? 5 : 4}.${rest}`
}

/** In lines that end with CRLF. Not in base64: filters take ASCII in it for something hidden. */
function quotedPrintable(text: string): string {
  return wrap(encode(text.replace(/\r\n?|\n/g, '\r\n')))
}

/** The value of a report field: one line of ASCII, at most 500 characters. The text for people has all of it. */
function field(text: string): string {
  return withoutControls(text)
    .replace(/[^\x20-\x7e]/gu, '?')
    .slice(0, 500)
}

/** An address with its type. One that is not ASCII is written as `zo\x{EB}@example.com` (RFC 6533, section 3): the report
 *  itself stays ASCII. */
function recipientField(address: string): string {
  if (/^[\x20-\x7e]*$/.test(address)) return `rfc822; ${field(address)}`
  const encoded = address.replace(/[^\x21-\x7e]|[+=\\]/gu, (character) => {
    const point = character.codePointAt(0) ?? 0
    return `\\x{${point.toString(16).toUpperCase().padStart(2, '0')}}`
  })
  return `utf-8; ${encoded}`
}
