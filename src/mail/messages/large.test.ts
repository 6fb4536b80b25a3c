import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readContent } from '#/formats/mime/body/content.ts'
import { each } from '#test/world/each.ts'
import { hand } from '#test/world/letters/letter.ts'
import { World } from '#test/world/world.ts'

const world = await World.ofFile()
const { organization, address } = await world.mailbox('ada')

const line = 'Grüße & "Küsse" <b>\u2028</b>\r\n'
const large = [
  ...['From: ann@peer.example', 'Content-Type: multipart/mixed; boundary=b', ''],
  ...['--b\r\nContent-Type: text/plain; charset=utf-8\r\n', line.repeat(60_000)],
  ...['--b\r\nContent-Type: text/html; charset=utf-8\r\n', line.repeat(10_000)],
  '--b\r\nContent-Type: application/pdf; name=plan.pdf\r\nContent-Transfer-Encoding: base64\r\n',
  ...[`${'QUJD'.repeat(19)}\r\n`.repeat(10_000), '--b--'],
].join('\r\n')

test('a message of some MiB is read back whole: its text, raw, and its attachment', async () => {
  assert.equal(await hand(world, 'ann@peer.example', address, large), '250 2.6.0')
  const raw = await organization.request('GET', `/v1/messages/1/raw?mailbox=${address}`)
  assert.equal(raw.status, 200)
  const sent = Buffer.from(`${large}\r\n`)
  assert.ok(raw.bytes.subarray(-sent.length).equals(sent))
  assert.equal(raw.headers.get('content-length'), String(raw.bytes.length))

  const { status, body, bytes, headers } = await organization.request('GET', `/v1/messages/1?mailbox=${address}`)
  assert.equal(status, 200)
  assert.equal(headers.get('content-length'), String(bytes.length))
  const { text, html, attachments } = readContent(raw.bytes)
  assert.deepEqual([body.text, body.html], [text, html])
  assert.deepEqual(each(body.attachments, 'id', 'size_bytes'), each(attachments, 'id', 'size_bytes'))
  const attachment = await organization.request('GET', `/v1/messages/1/attachments/3?mailbox=${address}`)
  assert.equal(attachment.bytes.toString(), 'ABC'.repeat(190_000))
  const none = await organization.request('GET', `/v1/messages/1/attachments/4?mailbox=${address}`)
  assert.equal(none.status, 404)
})

test('the answer to HEAD has the length of a large message, and no body', async () => {
  for (const path of ['/v1/messages/1', '/v1/messages/1/raw']) {
    const url = `${world.base}${path}?mailbox=${address}`
    const ask = (method: string) => fetch(url, { method, headers: { authorization: `Bearer ${organization.key}` } })
    const [got, head] = [await ask('GET'), await ask('HEAD')]
    const length = (await got.arrayBuffer()).byteLength
    assert.deepEqual([head.status, head.headers.get('content-length')], [200, String(length)])
    assert.equal((await head.arrayBuffer()).byteLength, 0)
  }
})
