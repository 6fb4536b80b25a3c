import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { describe, test } from 'node:test'
import { isPublic } from '#/base/network/ip-address.ts'
import type { ZoneRecords } from '#/base/network/resolver.ts'
import { ZoneResolver } from '#/domains/resolver/zone.ts'
import { certificateFor } from '#test/world/sockets/certificate.ts'
import { freePort } from '#test/world/sockets/free-port.ts'
import { HttpFailed } from './failure.ts'
import { PublicHttp, type PublicHttpOptions } from './public-http.ts'

const question = { method: 'GET', mostBytes: 1_000, timeoutMs: 60_000 } as const

/** A server on this machine, and a client that may connect to it. */
class Site implements AsyncDisposable {
  readonly requests: string[] = []
  readonly sockets: Socket[] = []
  readonly zone: ZoneResolver
  readonly http: PublicHttp
  readonly #server: Server

  private constructor(server: Server, options: Partial<PublicHttpOptions>) {
    this.#server = server
    this.zone = new ZoneResolver({ 'there.test': { a: ['127.0.0.1'] } })
    const loopback = (address: string) => address === '127.0.0.1'
    this.http = new PublicHttp({ resolver: this.zone, allowed: { 'http:': loopback, 'https:': loopback }, ...options })
    server.on('connection', (socket: Socket) => this.sockets.push(socket))
    server.on('request', ({ method, url, headers }) => this.requests.push(`${method} ${headers.host} ${url}`))
  }

  static async start(
    answer: RequestListener,
    { tls, ...options }: Partial<PublicHttpOptions> & { tls?: { cert: string; key: string } } = {},
  ): Promise<Site> {
    const server = (tls ? createTlsServer(tls, answer) : createServer(answer)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new Site(server, options)
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  send(path = '/', scheme = 'http', host = 'there.test', more = {}) {
    return this.http.send(new URL(`${scheme}://${host}:${this.port}${path}`), { ...question, ...more })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.http[Symbol.dispose]()
    this.#server.closeAllConnections()
    this.#server.close()
  }
}

const hello: RequestListener = (_, response) => void response.end('hello')

/** Asserts why there is no answer. */
async function fails(sent: Promise<unknown>, why: RegExp): Promise<void> {
  await assert.rejects(sent, (error) => error instanceof HttpFailed && why.test(error.message))
}

describe('requests to servers that others name', () => {
  test('have the name as their host, and one connection serves several', async () => {
    await using site = await Site.start(hello)
    for (const path of ['/a?b=c', '/d']) {
      const { status, body, cut } = await site.send(path)
      assert.deepEqual([status, body.toString(), cut], [200, 'hello', false])
    }
    const host = `there.test:${site.port}`
    assert.deepEqual(site.requests, [`GET ${host} /a?b=c`, `GET ${host} /d`])
    assert.equal(site.sockets.length, 1)
  })

  test('send their body and headers', async () => {
    const seen: unknown[] = []
    await using site = await Site.start(async (request, response) => {
      seen.push(request.method, request.headers['x-more'], (await request.toArray()).join(''))
      response.writeHead(204).end()
    })
    const more = { method: 'POST', headers: { 'X-More': 'yes' }, body: Buffer.from('body') }
    assert.equal((await site.send('/', 'http', 'there.test', more)).status, 204)
    assert.deepEqual(seen, ['POST', 'yes', 'body'])
  })

  test('follow no redirect', async () => {
    await using site = await Site.start((_, response) => void response.writeHead(302, { Location: '/b' }).end())
    const { status, headers } = await site.send('/a')
    assert.deepEqual([status, headers.location, site.requests.length], [302, '/b', 1])
  })

  test('are sent again where the server has closed a kept connection', async () => {
    await using site = await Site.start(hello)
    await site.send('/a')
    // Closed once the next request comes, as a server does whose patience ends just then.
    site.sockets[0]?.removeAllListeners('data').once('data', () => site.sockets[0]?.resetAndDestroy())
    assert.equal((await site.send('/b')).status, 200)
  })

  test('go on with the next address where one is refused', async () => {
    const port = await freePort()
    await using site = await Site.start(hello, { allowed: { 'http:': () => true } })
    site.zone.set('there.test', { a: ['127.0.0.1'], aaaa: ['::1'] })
    assert.equal((await site.send()).status, 200)
    await fails(site.http.send(new URL(`http://there.test:${port}`), question), /^The connection was refused$/)
  })

  test('verify the certificate', async () => {
    const tls = certificateFor('there.test')
    await using trusted = await Site.start(hello, { tls, ca: tls.cert })
    assert.equal((await trusted.send('/', 'https')).status, 200)
    trusted.zone.set('other.test', { a: ['127.0.0.1'] })
    await fails(trusted.send('/', 'https', 'other.test'), /^The certificate is not trusted: it is for another name$/)
    await using untrusted = await Site.start(hello, { tls })
    await fails(untrusted.send('/', 'https'), /^The certificate is not trusted: it is self-signed$/)
  })
})

describe('no connection is made', () => {
  for (const [what, records] of [
    ['private networks', { a: ['10.0.0.1', '172.16.0.1', '192.168.0.1'] }],
    ['a link-local address, where clouds tell secrets', { a: ['169.254.169.254'] }],
    ['an IPv4-mapped address', { aaaa: ['::ffff:127.0.0.1'] }],
  ] as const satisfies readonly (readonly [string, ZoneRecords])[])
    test(`to a name of ${what}`, async () => {
      await using site = await Site.start(hello, { allowed: { 'http:': isPublic, 'https:': isPublic } })
      site.zone.set('there.test', records)
      for (const scheme of ['http', 'https']) await fails(site.send('/', scheme), /^The address is not allowed$/)
      assert.equal(site.sockets.length, 0)
    })

  for (const host of [
    ...['127.0.0.1', '127.1', '0x7f.1', '2130706433', '017700000001', '0.0.0.0', '0', '10.0.0.1', '169.254.169.254'],
    ...['[::1]', '[::]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[fe80::1]', '[fd00::1]', '[64:ff9b::7f00:1]'],
  ])
    test(`to ${host}, which is never looked up`, async () => {
      await using site = await Site.start(hello, { allowed: { 'http:': isPublic, 'https:': isPublic } })
      for (const scheme of ['http', 'https']) await fails(site.send('/', scheme, host), /^The address is not allowed$/)
      assert.equal(site.sockets.length, 0)
    })

  test('to a name whose address changes after it was looked at: what was looked at is connected to', async () => {
    await using site = await Site.start(hello)
    let asked = 0
    const resolver: typeof site.zone = Object.assign(Object.create(site.zone), {
      aaaa: async () => [],
      a: async () => [asked++ === 0 ? '127.0.0.1' : '10.0.0.1'],
    })
    const loopback = (address: string) => address === '127.0.0.1'
    using http = new PublicHttp({ resolver, allowed: { 'http:': loopback } })
    const url = new URL(`http://there.test:${site.port}`)
    assert.equal((await http.send(url, question)).status, 200)
    assert.equal(asked, 1)
    for (const socket of site.sockets) socket.destroy()
    await fails(http.send(url, question), /^The address is not allowed$/)
  })

  test('by a scheme that is not allowed', async () => {
    await using site = await Site.start(hello, { allowed: { 'https:': () => true } })
    await fails(site.send(), /^http is not allowed$/)
    await fails(site.http.send(new URL('file:///etc/passwd'), question), /^file is not allowed$/)
    assert.equal(site.sockets.length, 0)
  })

  test('to a name that is not there, or cannot be looked up', async () => {
    await using site = await Site.start(hello)
    await fails(site.send('/', 'http', 'nowhere.test'), /^The name nowhere.test has no address$/)
    site.zone.set('fails.test', { fails: 'servfail' })
    await fails(site.send('/', 'http', 'fails.test'), /^Looking up fails.test in the DNS failed$/)
  })
})

describe('an answer', () => {
  test('is read up to a size, and no further', async () => {
    const closed = Promise.withResolvers<void>()
    await using site = await Site.start(({ socket }, response) => {
      socket.once('close', () => closed.resolve())
      // As long as somebody reads.
      const more = () => void (socket.destroyed || response.write('x'.repeat(65_536), more))
      more()
    })
    const { body, cut } = await site.send()
    assert.deepEqual([body.toString(), cut], ['x'.repeat(1_000), true])
    await closed.promise
  })

  for (const [what, answer] of [
    ['never begins', () => {}],
    ['never ends', (_, response) => void response.write('hel')],
    [
      'comes by drops',
      (_, response) => {
        const timer = setInterval(() => response.write('x'), 10)
        response.once('close', () => clearInterval(timer))
      },
    ],
  ] as const satisfies readonly (readonly [string, RequestListener])[])
    test(`that ${what} is given up in time`, async () => {
      await using site = await Site.start(answer)
      await fails(site.send('/', 'http', 'there.test', { timeoutMs: 200 }), /^No whole answer within 0.2 s$/)
    })

  test('of the last of several requests is given up when their time together is over', async () => {
    await using site = await Site.start(() => {})
    const since = performance.now() - question.timeoutMs
    await fails(site.send('/', 'http', 'there.test', { since }), /^No whole answer within 60 s$/)
  })

  test('that is not asked for any more is given up', async () => {
    const stop = new AbortController()
    await using site = await Site.start(() => stop.abort())
    await fails(site.send('/', 'http', 'there.test', { signal: stop.signal }), /^The service stopped$/)
    await fails(site.send('/', 'http', 'there.test', { signal: stop.signal }), /^The service stopped$/)
  })

  for (const [what, text] of [
    ['no HTTP', '220 mail.example ESMTP\r\n'],
    ['cut off in its body', 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhel'],
    ['cut off in its head', 'HTTP/1.1 200 OK\r\nContent-'],
    ['with endless headers', `HTTP/1.1 200 OK\r\n${'X: y\r\n'.repeat(10_000)}`],
    ['empty', ''],
  ] as const)
    test(`that is ${what} is a failure`, async () => {
      const server = createTcpServer((socket) => {
        socket.on('error', () => {})
        socket.once('data', () => socket.end(text))
      }).listen(0, '127.0.0.1')
      await once(server, 'listening')
      await using site = await Site.start(hello)
      const url = new URL(`http://there.test:${(server.address() as AddressInfo).port}`)
      const why = /^(?:No HTTP answer: HPE_|The connection ended before the answer did$)/
      await fails(site.http.send(url, question), why)
      server.close()
    })
})
