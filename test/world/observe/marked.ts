import { letter } from '#test/world/letters/letter.ts'

/** A message with the mark in everything that its author chooses, except the bare address and the Message-ID. */
export function marked(mark: string, to: string, fields: Record<string, string | undefined> = {}): string {
  const many = `${mark} and ${mark} `.repeat(8)
  const part = (header: string, body: string) => `--=_m\r\n${header}\r\n\r\n${body}\r\n`
  const header = {
    From: `=?utf-8?B?${Buffer.from(`Zoë ${mark}`).toString('base64')}?= <ann@peer.example>`,
    To: `"${mark}" <${to}>`,
    Cc: `${mark} <${mark}@elsewhere.example>`,
    Subject: `=?utf-8?Q?Gr=C3=BC=C3=9Fe_${mark}?=`,
    References: `<${mark}-1@peer.example> <${mark}-2@peer.example>`,
    'In-Reply-To': `<${mark}-2@peer.example>`,
    'Reply-To': `${mark}@peer.example`,
    [`X-${mark}`]: 'x',
    'MIME-Version': '1.0',
    'Content-Type': 'multipart/mixed; boundary="=_m"',
    ...fields,
  }
  const body = [
    part('Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable', `${mark} =C3=A4`),
    part('Content-Type: text/html\r\nContent-Transfer-Encoding: base64', Buffer.from(many).toString('base64')),
    part(
      `Content-Type: application/pdf; name="${mark}.pdf"\r\nContent-Disposition: attachment; filename="${mark}.pdf"`,
      many,
    ),
  ]
  return letter(header, `${body.join('')}--=_m--\r\n`)
}
