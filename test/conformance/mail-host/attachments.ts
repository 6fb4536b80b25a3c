import assert from 'node:assert/strict'
import { readMessage } from '#/mime/message.ts'
import type { TestIt } from './bench.ts'
import { copy, letter } from './letters.ts'

const long = 'So much to say.\r\n'.repeat(20_000)
const html = 'Content-Type: text/html\r\n\r\n<img src="cid:1@x">'
const image = `Content-Type: image/png\r\nContent-ID: <1@x>\r\n\r\n${long}`
const invoice = 'Content-Type: application/pdf; name="invoice.pdf"\r\n\r\nJVBERi0='
const signature = 'Content-Type: application/pgp-signature\r\nContent-Disposition: attachment\r\n\r\nxx'
const forwarded = `Content-Type: message/rfc822\r\nContent-Disposition: inline\r\n\r\nSubject: x\r\n\r\n${long}`

/** Attachments are found anywhere in a message. */
export function findsAttachments(testIt: TestIt): void {
  for (const [what, kind, parts, expected] of [
    ['a long text', 'mixed', ['\r\n', `\r\n${long}`], false],
    ['a file after a long text', 'mixed', [`\r\n${long}`, invoice], true],
    [
      'a named one after long text',
      'mixed',
      [`\r\n${long}`, 'Content-Disposition: inline; filename=a.txt\r\n\r\nA'],
      true,
    ],
    ['a forwarded message after a long text', 'mixed', [`\r\n${long}`, forwarded], true],
    ['a signature after a long text', 'signed', [`\r\n${long}`, signature], false],
    ['a long image that the text shows', 'related', [html, image], false],
    ['such an image, and a file', 'mixed', [multipart('related', [html, image], 'inner'), invoice], true],
    ['two readings of a long text', 'alternative', [`\r\n${long}`, html], false],
  ] as const)
    testIt(`${what}: ${expected ? 'something' : 'nothing'} is attached`, async ({ ada, host, append }) => {
      const [fields, body] = multipart(kind, parts, 'outer').split(/\r\n\r\n(.*)/s)
      const raw = letter({ 'content-type': fields?.replace('Content-Type: ', '') ?? '' }, body)
      assert.equal(readMessage(raw).hasAttachment, expected)
      await append(copy(ada, { message: readMessage(raw) }))
      const [listed] = await host.summaries(ada, 'inbox', [1])
      assert.equal(listed?.hasAttachment, expected)
    })
}

function multipart(kind: string, parts: readonly string[], boundary: string): string {
  const delimited = parts.map((part) => `--${boundary}\r\n${part}\r\n`).join('')
  return `Content-Type: multipart/${kind}; boundary=${boundary}\r\n\r\n${delimited}--${boundary}--\r\n`
}
