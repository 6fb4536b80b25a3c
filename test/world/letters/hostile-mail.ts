/** Messages that make whoever reads them naively work for seconds, or run out of stack or memory. Each as it stands after
 *  DATA, without the final dot: no line in it starts with one. */
export const hostileMail: Readonly<Record<string, () => string>> = {
  '2,000 nested parts': () => letter(nested(2_000)),
  '20,000 parts': () => letter(mixed + '--b\r\n\r\nx\r\n'.repeat(20_000)),
  '100,000 headers': () => letter(`${'A: 1\r\n'.repeat(100_000)}\r\nbody\r\n`),
  'a header line of 10 MB': () => letter(`Comments: ${'x'.repeat(10_000_000)}\r\n\r\nbody\r\n`),
  'a subject of 7 MB': () => letter(`Subject: ${'=?utf-8?q?=C3=BC?= '.repeat(370_000)}\r\n\r\nbody\r\n`),
  '50,000 addresses': () => letter(`${everywhere(list(50_000))}\r\nbody\r\n`),
  '50,000 addresses in ten From': () => `${`From: ${list(5_000)}\r\n`.repeat(10)}\r\nbody\r\n`,
  'nested groups': () => letter(`${everywhere('a:'.repeat(20_000))}\r\nbody\r\n`),
  '100,000 references': () => letter(`References: ${ids(100_000)}\r\n\r\nbody\r\n`),
  '10,000 forged results': () => letter(`${forged.repeat(9_900)}\r\nbody\r\n`),
  '200,000 spaces in a field': () => letter(`Comments: a${' '.repeat(200_000)}b\r\n\r\nbody\r\n`),
  'a notice with 60,000 spaces in a field': () =>
    letter(`${notice}Final-Recipient: rfc822; a${' '.repeat(60_000)}b\r\n\r\n--b--\r\n`),
  'a notice of 3,000 recipients in words': () =>
    letter(`X-Failed-Recipients: ${'bob@there.example '.repeat(3_000)}\r\n${report}${'-'.repeat(60_000)}\r\n--b--\r\n`),
  'a quotation after each of 100,000 lines': () => letter(`\r\n${'a:\r\n>\r\n'.repeat(100_000)}`),
  'HTML with a quotation after each of 17,000 lines': () =>
    letter(`${html}${'<blockquote>a:</blockquote>a:\r\n'.repeat(17_000)}`),
  '10 signatures of 9,000 fields each': () => letter(`${'A: 1\r\n'.repeat(2_000)}${signatures(10, 9_000)}\r\nbody\r\n`),
}

/** Messages of nearly as many octets as one may have, by what is hard about them. */
export const largeMail: Readonly<Record<string, () => string>> = {
  '24 MiB of text': () => letter(`\r\n${lines(24 * MiB)}`),
  '24 MiB with 10 signatures and 3 hashes': () => letter(`${signatures(10)}\r\n${lines(24 * MiB)}`),
  '24 MiB of HTML': () => letter(`${html}${'<p>x</p>\r\n'.repeat((24 * MiB) / 10)}`),
  '24 MiB in quoted-printable': () => letter(`${quotedPrintable}\r\n${'=C3=BC=\r\n'.repeat((24 * MiB) / 9)}`),
  '24 MiB of attachments': () => letter(`${mixed}${attachment(24 * 1024).repeat(990)}--b--\r\n`),
}

const MiB = 1024 * 1024
const mixed = 'Content-Type: multipart/mixed; boundary=b\r\n\r\n'
const report = 'Content-Type: multipart/report; report-type=delivery-status; boundary=b\r\n\r\n--b\r\n\r\n'
const notice = report.replace(/\r\n$/, 'Content-Type: message/delivery-status\r\n\r\n')
const html = 'Content-Type: text/html\r\n\r\n'
const quotedPrintable = 'Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n'
const forged = `Authentication-Results: mx.mailroom.test ${'('.repeat(700)}; dmarc=pass\r\n`

function letter(rest: string): string {
  return `From: Ann <ann@peer.example>\r\nMessage-ID: <${crypto.randomUUID()}@peer.example>\r\n${rest}`
}

function nested(depth: number): string {
  const nest = (level: number) => `Content-Type: multipart/mixed; boundary=b${level}\r\n\r\n--b${level}\r\n`
  return Array.from({ length: depth }, (_, level) => nest(level)).join('')
}

function everywhere(value: string): string {
  return ['Sender', 'To', 'Cc', 'Reply-To'].map((name) => `${name}: ${value}\r\n`).join('')
}

function list(count: number): string {
  return Array.from({ length: count }, (_, place) => `Person <p${place}@host${place % 7}.example>`).join(',\r\n ')
}

function ids(count: number): string {
  return Array.from({ length: count }, (_, place) => `<${place}@x.example>`).join('\r\n ')
}

/** With three hashes of the body to be made. */
function signatures(count: number, fields = 1): string {
  const field = (number: number) =>
    `DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=peer.example; s=s${number}; l=${20_000_000 + (number % 3)};\r\n` +
    ` h=${'from:'.repeat(fields)}to; bh=AAAA; b=AAAA\r\n`
  return Array.from({ length: count }, (_, number) => field(number)).join('')
}

function lines(octets: number): string {
  const line = `${'x '.repeat(38)}\r\n`
  return line.repeat(octets / line.length)
}

function attachment(octets: number): string {
  const head = '--b\r\nContent-Type: application/pdf; name=plan.pdf\r\nContent-Transfer-Encoding: base64\r\n\r\n'
  return head + `${'QUJD'.repeat(19)}\r\n`.repeat(octets / 78)
}
