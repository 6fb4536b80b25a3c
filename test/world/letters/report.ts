import { letter } from './letter.ts'

/** A delivery report (RFC 3464) as another mail server sends it, with what it says happened. */
export function deliveryReport(action = 'failed', fields: Record<string, string | undefined> = {}): string {
  const parts = [
    'Content-Type: text/plain\r\n\r\nSorry.\r\n',
    'Content-Type: message/delivery-status\r\n\r\n' +
      'Reporting-MTA: dns; mx.away.example\r\n\r\n' +
      `Final-Recipient: rfc822; ada@away.example\r\nAction: ${action}\r\nStatus: 5.1.1\r\n`,
    'Content-Type: text/rfc822-headers\r\n\r\nSubject: Hello\r\n',
  ]
  const header = {
    From: 'MAILER-DAEMON@away.example',
    Subject: 'Undelivered',
    'MIME-Version': '1.0',
    'Content-Type': 'multipart/report; report-type=delivery-status; boundary="=_b"',
    ...fields,
  }
  return letter(header, `${parts.map((part) => `--=_b\r\n${part}`).join('\r\n')}\r\n--=_b--\r\n`)
}
