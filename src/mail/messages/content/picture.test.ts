import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeEach, test } from 'node:test'
import { each } from '#test/world/each.ts'
import { afterFile } from '#test/world/of-file.ts'
import { World } from '#test/world/world.ts'

const png = Buffer.from('89504e470d0a1a0a', 'hex')
const asPicture = { 'Content-Type': 'image/png' }

const world = await World.ofFile()
const { organization, address } = await world.mailbox('ada')
let uid = 0
const asked: { readonly url: string; readonly headers: IncomingHttpHeaders }[] = []
let answer: RequestListener
const server = createServer((request, response) => {
  asked.push({ url: request.url ?? '', headers: request.headers })
  answer(request, response)
})
afterFile(() => server.close().closeAllConnections())
await once(server.listen(0, '127.0.0.1'), 'listening')
world.dns.set('news.example', { a: ['127.0.0.1'] })
world.dns.set('inside.example', { a: ['10.0.0.1'] })
const site = `http://news.example:${(server.address() as AddressInfo).port}`
beforeEach(() => {
  asked.length = 0
  answer = (_, response) => void response.writeHead(200, asPicture).end(png)
})

async function receive(html: string): Promise<void> {
  await world.send({ from: 'ann@peer.example', to: address, subject: 'News', html })
  uid++
}

function picture(url: string) {
  return organization.request('GET', `/v1/messages/${uid}/picture?${new URLSearchParams({ mailbox: address, url })}`)
}

test('a picture that the message names is fetched, and its server learns nothing of who reads', async () => {
  await receive(`<img src="${site}/logo?a=1&amp;b=2">`)
  const { status, bytes, headers } = await picture(`${site}/logo?a=1&b=2`)
  assert.deepEqual([status, headers.get('content-type'), bytes], [200, 'image/png', png])
  assert.match(headers.get('content-disposition') ?? '', /^attachment/)
  assert.deepEqual(each(asked, 'url'), ['/logo?a=1&b=2'])
  const { host, connection, ...rest } = asked[0]?.headers ?? {}
  assert.deepEqual(rest, {
    accept: 'image/avif, image/webp, image/png, image/jpeg, image/gif, image/bmp',
    'accept-encoding': 'identity',
    'user-agent': 'Mailroom',
  })
})

test('a picture of a message that is read in another thread is fetched', async () => {
  await receive(`<p>${'x'.repeat(300_000)}</p><img src="${site}/large">`)
  assert.equal((await picture(`${site}/large`)).status, 200)
})

test('an address that the message does not name is not asked', async () => {
  await receive(`<img src="${site}/one">`)
  const { status, body } = await picture(`${site}/two`)
  assert.deepEqual([status, body.error.message, asked], [404, 'The message names no such picture', []])
})

test('a redirect is followed to public addresses alone', async () => {
  await receive(`<img src="${site}/a">`)
  answer = ({ url }, response) =>
    void (url === '/a' ? response.writeHead(302, { Location: '/b' }) : response.writeHead(200, asPicture)).end(png)
  assert.equal((await picture(`${site}/a`)).status, 200)
  for (const location of ['http://inside.example/', 'http://10.0.0.1/', 'file:///etc/passwd', `${site}/a`, 'http://']) {
    answer = (_, response) => void response.writeHead(302, { Location: location }).end()
    const { status, body } = await picture(`${site}/a`)
    assert.equal(status, 404)
    assert.match(body.error.message, /^The picture cannot be fetched: /)
  }
})

const other = 'It is not a picture of a type that is shown'
const encoded = 'It has a content encoding, which Mailroom did not accept'
for (const [what, headers, status, reason] of [
  ['SVG', { 'Content-Type': 'image/svg+xml' }, 200, other],
  ['a page', { 'Content-Type': 'text/html' }, 200, other],
  ['nothing that is said', {}, 200, other],
  ['compressed', { ...asPicture, 'Content-Encoding': 'gzip' }, 200, encoded],
  ['not there', asPicture, 410, 'The server answered 410'],
  ['a redirect to nowhere', asPicture, 302, 'The server answered 302'],
] as const)
  test(`what is ${what} is not shown`, async () => {
    await receive(`<img src="${site}/x">`)
    answer = (_, response) => void response.writeHead(status, headers).end(png)
    const { status: answered, body } = await picture(`${site}/x`)
    assert.deepEqual([answered, body.error.message], [404, `The picture cannot be fetched: ${reason}`])
  })

test('a picture above 5,000,000 octets is not shown', async () => {
  await receive(`<img src="${site}/x">`)
  answer = (_, response) => void response.writeHead(200, asPicture).end(Buffer.alloc(5_000_001))
  const { body } = await picture(`${site}/x`)
  assert.equal(body.error.message, 'The picture cannot be fetched: It is too large')
})

for (const [what, url] of [
  ['a name with a private address', 'http://inside.example/x.png'],
  ['a private address', 'http://192.168.0.1/x.png'],
  ['a name without an address', 'http://nobody.example/x.png'],
  ['a relative address', 'x.png'],
  ['another scheme', 'ftp://news.example/x.png'],
  ['a malformed address', 'http://['],
] as const)
  test(`${what} is not asked`, async () => {
    await receive(`<img src="${url}">`)
    assert.equal((await picture(url)).status, 404)
    assert.deepEqual(asked, [])
  })

test('slow pictures of one organization do not delay those of another', async () => {
  const { organization: other, address: to } = await world.mailbox('eve')
  await world.send({ from: 'ann@peer.example', to, subject: 'News', html: `<img src="${site}/quick">` })
  await receive(`<img src="${site}/slow">`)
  const slow: ServerResponse[] = []
  const all = Promise.withResolvers<void>()
  answer = ({ url }, response) => {
    if (url !== '/slow') return void response.writeHead(200, asPicture).end(png)
    if (slow.push(response) === 9) all.resolve()
  }
  const waiting = Array.from({ length: 30 }, () => picture(`${site}/slow`))
  await all.promise
  const query = new URLSearchParams({ mailbox: to, url: `${site}/quick` })
  assert.equal((await other.request('GET', `/v1/messages/1/picture?${query}`)).status, 200)
  assert.equal(slow.length, 9, 'a key has three quarters of half of 24')
  answer = (_, response) => void response.writeHead(200, asPicture).end(png)
  for (const response of slow) response.writeHead(200, asPicture).end(png)
  for (const one of waiting) assert.equal((await one).status, 200)
})
