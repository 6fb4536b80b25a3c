import type { Client } from './envelope.ts'
import type { SessionContext } from './mail-handler.ts'

/** The reply to EHLO, LHLO or HELO. */
export function ehloReply(context: SessionContext, { protocol, tls }: Client, loggedIn: boolean): string {
  const lines = [context.hostname]
  if (protocol !== 'SMTP') {
    lines.push('PIPELINING', `SIZE ${context.limits.messageSize}`, '8BITMIME', 'SMTPUTF8', 'ENHANCEDSTATUSCODES')
    if (context.tls && !tls) lines.push('STARTTLS')
    if (context.auth && tls && !loggedIn) lines.push(`AUTH ${context.auth.mechanisms}`)
    if (protocol === 'LMTP') lines.push('XFORWARD ADDR HELO')
  }
  const last = lines.length - 1
  return lines.map((text, at) => `250${at === last ? ' ' : '-'}${text}\r\n`).join('')
}
