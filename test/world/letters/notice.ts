import { letter } from './letter.ts'

/** A notice of non-delivery of another server (RFC 3464), which names the message in what it returns alone. */
export function notice(about: string, failed: readonly string[], status = '5.1.1'): string {
  const recipients = failed.map(
    (one) =>
      `Final-Recipient: rfc822; ${one}\r\nAction: failed\r\nStatus: ${status}\r\nDiagnostic-Code: smtp; 550 It says no\r\n`,
  )
  const parts = [
    'text/plain\r\n\r\nSorry.',
    `message/delivery-status\r\n\r\nReporting-MTA: dns; mx.there.example\r\n\r\n${recipients.join('\r\n')}`,
    `message/rfc822\r\n\r\nMessage-ID: ${about}\r\nSubject: Plan\r\n\r\nText`,
  ]
  const content = 'multipart/report; report-type=delivery-status; boundary=b'
  const body = parts.map((part) => `--b\r\nContent-Type: ${part}\r\n`).join('')
  return letter({ From: 'mailer-daemon@peer.example', Subject: 'Undelivered', 'Content-Type': content }, `${body}--b--`)
}
