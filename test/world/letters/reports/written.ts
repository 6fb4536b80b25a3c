/** The envelope sender of the message that the samples are about. */
export const sender = 'ada+rgtr4s2mwq5k7bq3dkx2xw4n6v@here.example'

export const to = `To: ${sender}\n`

/** The message that the samples are about. */
export const original = `Received: from mail.here.example (mail.here.example [192.0.2.1])
	by mx.there.example with ESMTPS id 4XyZ; Mon, 16 Nov 2026 08:00:02 +0000
From: Ada <ada@here.example>
To: bob@there.example
Subject: The plan
Message-ID: <plan-1@here.example>
Date: Mon, 16 Nov 2026 08:00:00 +0000

Hello Bob
`

type Fields = Readonly<Record<string, string | undefined>>

/** Each in the form of a header; undefined leaves one out. */
export function fieldsOf(fields: Fields): string {
  return Object.entries(fields)
    .flatMap(([name, value]) => (value === undefined ? [] : `${name}: ${value}\n`))
    .join('')
}

/** The fields about Bob in a delivery status, with others in their place or beside them. */
export function status(fields: Fields = {}): string {
  const usual = { 'Final-Recipient': 'rfc822; bob@there.example', Action: 'failed', Status: '5.1.1' }
  return `Reporting-MTA: dns; mx.there.example\n\n${fieldsOf({ ...usual, ...fields })}`
}

/** A part's type with its other fields, and its contents. */
export type Part = readonly [type: string, contents: string]

export const returned: Part = ['message/rfc822', original]

export function multipart(type: string, parts: readonly Part[], fields: Fields = {}, boundary = 'b'): string {
  const header = {
    From: 'Mail Delivery System <MAILER-DAEMON@mx.there.example>',
    To: sender,
    Subject: 'Undeliverable',
    'MIME-Version': '1.0',
    'Content-Type': `multipart/${type};\n\tboundary="${boundary}"`,
  }
  const body = parts.map(([type, contents]) => `--${boundary}\nContent-Type: ${type}\n\n${contents}\n`).join('')
  return `${fieldsOf({ ...header, ...fields })}\n${body}--${boundary}--\n`
}

/** A notice (RFC 3464) in its usual form. */
export function notice(
  about: string,
  { fields = {}, words = ['text/plain', 'Sorry.'] as Part, type = '', back = returned } = {},
) {
  const parts: readonly Part[] = [words, [type || 'message/delivery-status', about], back]
  return multipart('report; report-type=delivery-status', parts, fields)
}
