import { parseAddresses } from '../address/address-list.ts'
import type { Part } from '../body/part.ts'
import type { Headers } from '../header/headers.ts'
import { withoutComments } from '../header/lexical.ts'
import { parseParameters } from '../header/parameters.ts'

/** Fields by which programs mark their answers, before Auto-Submitted and beside it. */
const answering = [
  'x-autoreply',
  'x-auto-reply',
  'x-autoreply-from',
  'x-mail-autoreply',
  'x-autorespond',
  'x-autoresponder',
]

/** Whether a program says that it sent the message: Auto-Submitted (RFC 3834, section 5) is anything but `no`, without parameters and
 *  comments, or an older field says it. */
export function isAutomatic(headers: Headers): boolean {
  return (
    ['auto-submitted', ...answering].some((name) => headers.all(name).some((value) => word(value) !== 'no')) ||
    headers.all('precedence').some((value) => /^auto[_-]?reply$/.test(word(value)))
  )
}

function word(value: string): string {
  const [keyword = ''] = withoutComments(value).split(';')
  return keyword.trim().toLowerCase()
}

/** The senders of servers' reports, by the local part or, where the sender has no address, by the name. */
const daemon =
  /^(?:mailer-?daemon|post[_-]?master|daemon|mdaemon|mail-daemon|mail[ ._-]deliver(?:y|er)?[ ._-]?(?:system|subsystem)|mailsubsystem|mail|no-?reply)(?:@|$)/i

/** Whether an address, or a name without an address, is that of a program that reports on delivery. */
export function isDaemon(text: string): boolean {
  return daemon.test(text)
}

/** Whether the header says that the message is a delivery status notification (RFC 6522, RFC 3464). */
export function isNotice(headers: Headers): boolean {
  const type = headers.last('content-type') ?? ''
  return /^multipart\/report\b/i.test(type) && isDeliveryReport(parseParameters(type))
}

/** Whether a message may be such a notification: OpenSMTPD and others send it as multipart/mixed. */
export function mayBeNotice(headers: Headers): boolean {
  if (isNotice(headers)) return true
  if (!/^multipart\/mixed\b/i.test(headers.last('content-type') ?? '')) return false
  return parseAddresses(headers.last('from') ?? '').some(({ name, address }) => isDaemon(address || name))
}

/** Of a multipart/report. */
export function isDeliveryReport({ parameters }: Pick<Part, 'parameters'>): boolean {
  return /^(?:global-)?delivery-status$/i.test(parameters.get('report-type') ?? 'delivery-status')
}

export function isDeliveryStatus({ type }: Pick<Part, 'type'>): boolean {
  return /^message\/(?:global-)?delivery-status$/.test(type)
}

/** Of a message, its header or its beginning that a report returns. */
export function isReturned({ type }: Pick<Part, 'type'>): boolean {
  return /^(?:message\/(?:rfc822|global)(?:-headers)?|text\/rfc822-headers?)$/.test(type)
}
