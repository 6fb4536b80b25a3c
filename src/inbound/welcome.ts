import type { Client } from './envelope.ts'
import type { Host } from './host.ts'

/** The answer to EHLO, LHLO or HELO. */
export function welcome(host: Host, { protocol, tls }: Client, loggedIn: boolean): string {
  const lines = [host.hostname]
  if (protocol !== 'SMTP') {
    lines.push('PIPELINING', `SIZE ${host.limits.messageSize}`, '8BITMIME', 'SMTPUTF8', 'ENHANCEDSTATUSCODES')
    if (host.tls && !tls) lines.push('STARTTLS')
    if (host.gate && tls && !loggedIn) lines.push(`AUTH ${host.gate.mechanisms}`)
    if (protocol === 'LMTP') lines.push('XFORWARD ADDR HELO')
  }
  const last = lines.length - 1
  return lines.map((text, at) => `250${at === last ? ' ' : '-'}${text}\r\n`).join('')
}
