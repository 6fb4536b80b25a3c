import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { dkimSign } from 'mailauth/lib/dkim/sign.js'
import { joined } from '#/base/event-loop/pieces.ts'
import { each } from '#test/world/each.ts'
import { ofFile } from '#test/world/of-file.ts'
import { attachmentBytes, readContent } from './body/content.ts'
import { readOpened } from './body/opened.ts'
import { readMessage } from './read-message.ts'
import { MessageReader } from './reader.ts'

const reader = ofFile(new MessageReader())

const lines = (bytes: number) => 'Büscher & "Söhne" \u2028 <b>\r\n'.repeat(Math.ceil(bytes / 30))
const letter = (bytes: number) => {
  return Buffer.from(
    [
      'From: Ann <ann@a.example>',
      'To: ben@b.example, carl@c.example',
      'Message-ID: <own@a.example>',
      'References: <root@x> <mid@x>',
      'In-Reply-To: other@x',
      'Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=',
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b\r\nContent-Type: text/plain; charset=utf-8\r\n',
      lines(bytes),
      '--b\r\nContent-Type: text/html; charset=utf-8\r\n',
      `<p>${lines(bytes)}</p>`,
      '--b\r\nContent-Type: application/pdf; name=plan.pdf\r\nContent-Transfer-Encoding: base64\r\n',
      Buffer.alloc(bytes, 'pdf').toString('base64'),
      '--b\r\nContent-Type: application/pdf; name=as-it-is.pdf\r\n',
      lines(bytes),
      '--b--',
    ].join('\r\n'),
  )
}

for (const [what, raw] of [
  ['small', letter(1_000)],
  ['large', letter(300_000)],
  ['large and without a line', Buffer.alloc(300_000, 'x')],
  ['large and all header', Buffer.from('A: b\r\n'.repeat(60_000))],
] as const) {
  test(`a message that is ${what} is read as it would be here`, async () => {
    const { headers, raw: bytes, ...message } = await reader.message(raw)
    const { headers: expectedHeaders, raw: _, ...expected } = readMessage(raw)
    assert.deepEqual(message, expected)
    assert.ok(bytes.equals(raw))
    assert.deepEqual(headers.fields, expectedHeaders.fields)
    assert.equal(headers.complete, expectedHeaders.complete)
    assert.deepEqual(headers.all('to'), expectedHeaders.all('to'))
  })

  test(`what a message says that is ${what} is read as it would be here`, async () => {
    const { text, html, attachments } = await reader.content(raw)
    const plain = (said: typeof text) => (said instanceof Uint8Array ? JSON.parse(Buffer.from(said).toString()) : said)
    assert.deepEqual({ text: plain(text), html: plain(html), attachments }, readContent(raw))
    const { newText, ...opened } = await reader.opened(raw)
    const texts = { text: plain(opened.text), html: plain(opened.html), newText: plain(newText) }
    assert.deepEqual({ ...opened, ...texts }, readOpened(raw))
  })

  test(`attachments of a message that is ${what} are read as they would be here`, async () => {
    const shared = await joined([raw])
    for (const id of ['3', '4', '5', ''])
      assert.deepEqual(await reader.attachment(shared, id), attachmentBytes(raw, id))
  })
}

test('messages that are read at once do not get in each other’s way', async () => {
  const sizes = Array.from({ length: 8 }, (_, number) => 250_000 + number)
  const read = await Promise.all(sizes.map((size) => reader.attachment(letter(size), '3')))
  assert.deepEqual(read.map((attachment) => attachment?.bytes.length).join(), sizes.join())
})

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 })
const record = `v=DKIM1; k=rsa; p=${publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}`

async function signed(bytes: number): Promise<Buffer> {
  const text = letter(bytes)
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' })
  const key = { signingDomain: 'a.example', selector: 's1', privateKey: pem }
  const { signatures } = await dkimSign(text, { ...key, signatureData: [key] })
  return Buffer.concat([Buffer.from(signatures), text])
}

for (const bytes of [1_000, 300_000]) {
  test(`the signature of a message of more than ${bytes} bytes is verified with the key that is looked up`, async () => {
    const message = await reader.message(await signed(bytes))
    const asked: string[] = []
    const verified = await reader.signatures(message, async (name, type) => {
      asked.push(`${type} ${name}`)
      return [record]
    })
    assert.deepEqual(each(verified, 'result', 'domain', 'selector'), [['pass', 'a.example', 's1']])
    assert.deepEqual(asked, ['TXT s1._domainkey.a.example'])
  })

  test(`a key of a message of more than ${bytes} bytes that cannot be looked up is an error for a time`, async () => {
    const message = await reader.message(await signed(bytes))
    const verified = await reader.signatures(message, () => Promise.reject({ code: 'ETIMEOUT', message: 'late' }))
    assert.deepEqual(each(verified, 'result'), ['temperror'])
  })
}

for (const [what, count, tag, expected] of [
  ['eleven signatures', 11, () => '', 'too many signatures'],
  ['four signatures that each want a hash of their own', 4, (number: number) => `l=${number};`, 'too many hashes'],
] as const)
  test(`of ${what} none is verified`, async () => {
    const signature = (number: number) =>
      `DKIM-Signature: v=1; a=rsa-sha256; ${tag(number)} d=a.example; s=s1; h=from\r\n`
    const raw = Buffer.from(`${Array.from({ length: count }, (_, number) => signature(number)).join('')}\r\nbody`)
    const verified = await reader.signatures(readMessage(raw), () => assert.fail('nothing is looked up'))
    assert.deepEqual(each(verified, 'result', 'comment'), [['neutral', expected]])
  })
