import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { describe, test } from 'node:test'
import { pino } from 'pino'
import { ManualClock } from '#/base/clock/manual.ts'
import { ZoneResolver } from '#/domains/resolver/zone.ts'
import type { HeldPolicy, KeptPolicies } from '#/out/relay/mta-sts.ts'
import { letter, short } from '#test/out/relay/bench.ts'
import { certificateFor } from '#test/world/sockets/certificate.ts'
import { Sink } from '#test/world/sockets/sink.ts'
import { DirectMxRelay } from './direct-mx.ts'
import { names, parsePolicy, policyId } from './mta-sts-policy.ts'

const host = certificateFor('mx.dest.test')
const web = certificateFor('mta-sts.dest.test')
const stranger = certificateFor('other.test')

const policy = (mode: string, mx = 'mx.dest.test', age = 86_400) =>
  `version: STSv1\r\nmode: ${mode}\r\nmx: ${mx}\r\nmax_age: ${age}\r\n`

interface Page {
  readonly body?: string
  readonly status?: number
  readonly headers?: Record<string, string>
}

/** A domain with a mail host and a policy, and a relay that mails to it. */
class Domain implements AsyncDisposable {
  readonly clock = new ManualClock(new Date())
  readonly zone: ZoneResolver
  readonly sink: Sink
  relay: DirectMxRelay
  /** What is kept of policies while relays come and go. */
  readonly kept = new Map<string, HeldPolicy>()
  readonly newRelay: (kept?: KeptPolicies) => DirectMxRelay
  readonly logged: string[] = []
  readonly requests: string[] = []
  page: Page = {}
  readonly #web: Server

  private constructor(sink: Sink, server: Server, allowPrivate: boolean) {
    this.sink = sink
    this.#web = server
    this.zone = new ZoneResolver({
      'dest.test': { mx: [{ exchange: 'mx.dest.test', priority: 10 }] },
      'mx.dest.test': { a: ['127.0.0.1'] },
      'mta-sts.dest.test': { a: ['127.0.0.1'] },
    })
    this.announce('1')
    server.on('request', (request, response) => {
      this.requests.push(`${request.headers.host}${request.url}`)
      const { status = 200, headers = { 'Content-Type': 'text/plain; charset=utf-8' }, body = '' } = this.page
      response.writeHead(status, headers).end(body)
    })
    const log = pino({}, { write: (line) => void this.logged.push(line) })
    const usual: KeptPolicies = {
      find: async (domain) => this.kept.get(domain),
      keep: async (domain, held) => void this.kept.set(domain, held),
    }
    this.newRelay = (keptPolicies = usual) =>
      new DirectMxRelay({
        ...{ resolver: this.zone, clock: this.clock, name: 'us.example', log, allowPrivate, keptPolicies },
        ...{ port: sink.port, idle: 0, ca: host.cert + web.cert },
        httpsPort: (server.address() as AddressInfo).port,
      })
    this.relay = this.newRelay()
  }

  static async start({ mail = host, site = web, allowPrivate = true, mx = {} } = {}): Promise<Domain> {
    const sink = await Sink.start({ ...(mail && { tls: mail }), ...mx })
    const server = createServer(site).listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new Domain(sink, server, allowPrivate)
  }

  announce(id: string | undefined): void {
    this.zone.set('_mta-sts.dest.test', id === undefined ? undefined : { txt: [`v=STSv1; id=${id};`] })
  }

  async restart(kept?: KeptPolicies): Promise<void> {
    await this.relay[Symbol.asyncDispose]()
    this.relay = this.newRelay(kept)
  }

  async deliver(): Promise<string | undefined> {
    const delivery = { ...letter('Subject: Hello\r\n\r\nHello\r\n'), beforeEndOfData: async () => {} }
    return short(await this.relay.deliver(delivery, new AbortController().signal))[0]
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.relay[Symbol.asyncDispose]()
    await this.sink[Symbol.asyncDispose]()
    this.#web.closeAllConnections()
    this.#web.close()
  }
}

describe('MTA-STS', () => {
  test('a policy that is met lets mail through', async () => {
    await using domain = await Domain.start()
    domain.page = { body: policy('enforce') }
    assert.equal(await domain.deliver(), 'delivered 2.0.0')
    assert.equal(domain.sink.taken[0]?.tls, true)
    assert.deepEqual(domain.requests, ['mta-sts.dest.test/.well-known/mta-sts.txt'])
  })

  for (const [what, options, body] of [
    ['the certificate is for another name', { mail: stranger }, policy('enforce')],
    ['the policy does not name the mail host', {}, policy('enforce', 'mail.dest.test')],
    ['the policy names only hosts one label deeper', {}, policy('enforce', '*.mx.dest.test')],
    ['TLS is not offered', { mx: { extensions: [], act: noTls } }, policy('enforce')],
    ['the handshake is cut', { mx: { act: cutsHandshake } }, policy('enforce')],
  ] as const)
    test(`mail waits where ${what}, and in mode testing it is delivered and logged`, async () => {
      await using domain = await Domain.start(options)
      domain.page = { body }
      assert.match((await domain.deliver()) ?? '', /^deferred 4\.7\.[45]$/)
      assert.deepEqual(domain.sink.taken, [])
      domain.announce('2')
      domain.page = { body: body.replace('enforce', 'testing') }
      domain.clock.advance(60_000)
      domain.logged.length = 0
      assert.equal(await domain.deliver(), 'delivered 2.0.0')
      assert.equal(domain.logged.length, 1)
      assert.match(domain.logged[0] ?? '', /"domain":"dest.test","host":"mx.dest.test","wrong":"./)
    })

  for (const [what, options, page] of [
    ['is of mode none', {}, { body: policy('none') }],
    ['is not there', {}, { body: policy('enforce'), status: 404 }],
    ['is elsewhere', {}, { status: 302, headers: { Location: 'https://mta-sts.dest.test/policy' } }],
    ['is of another type', {}, { body: policy('enforce'), headers: { 'Content-Type': 'text/html' } }],
    ['is no policy', {}, { body: 'Hello' }],
    ['is too long', {}, { body: policy('enforce') + 'x'.repeat(70_000) }],
    ['is served under another name', { site: stranger }, { body: policy('enforce') }],
  ] as const)
    test(`a policy that ${what} asks for nothing`, async () => {
      await using domain = await Domain.start({ mail: stranger, ...options })
      domain.page = page
      assert.equal(await domain.deliver(), 'delivered 2.0.0')
    })

  test('a policy is not fetched from a private network', async () => {
    await using domain = await Domain.start({ allowPrivate: false })
    domain.page = { body: policy('enforce') }
    assert.equal(await domain.deliver(), 'refused 5.4.4')
    assert.deepEqual(domain.requests, [])
  })

  test('a policy is fetched once while it holds, and again when its id is another', async () => {
    await using domain = await Domain.start()
    domain.page = { body: policy('enforce') }
    for (let n = 0; n < 3; n++) await domain.deliver()
    domain.clock.advance(3_600_000)
    await domain.deliver()
    assert.equal(domain.requests.length, 1)
    domain.announce('2')
    domain.page = { body: policy('enforce', 'new.dest.test') }
    domain.clock.advance(60_000)
    assert.equal(await domain.deliver(), 'deferred 4.7.5')
    assert.equal(domain.requests.length, 2)
  })

  test('deliveries at one time fetch it once', async () => {
    await using domain = await Domain.start()
    domain.page = { body: policy('enforce') }
    await Promise.all(Array.from({ length: 10 }, () => domain.deliver()))
    assert.equal(domain.requests.length, 1)
  })

  test('a policy stays in force when it is hidden, until its time is over', async () => {
    await using domain = await Domain.start({ mail: stranger })
    domain.page = { body: policy('enforce') }
    assert.equal(await domain.deliver(), 'deferred 4.7.5')
    domain.page = { status: 500 }
    for (const hide of [
      () => domain.announce(undefined),
      () => domain.announce('2'),
      () => domain.zone.set('_mta-sts.dest.test', { fails: 'timeout' }),
    ]) {
      hide()
      domain.clock.advance(600_000)
      assert.equal(await domain.deliver(), 'deferred 4.7.5')
    }
    domain.clock.advance(86_400_000)
    assert.equal(await domain.deliver(), 'delivered 2.0.0')
  })

  test('a policy stays in force over a restart, until its time is over', async () => {
    await using domain = await Domain.start({ mail: stranger })
    domain.page = { body: policy('enforce') }
    assert.equal(await domain.deliver(), 'deferred 4.7.5')
    domain.announce(undefined)
    await domain.restart()
    assert.equal(await domain.deliver(), 'deferred 4.7.5')
    assert.equal(domain.requests.length, 1)
    domain.clock.advance(86_400_000)
    await domain.restart()
    assert.equal(await domain.deliver(), 'delivered 2.0.0')
  })

  test('mail is deferred if stored policies cannot be read, and sent if a new one cannot be stored', async () => {
    await using domain = await Domain.start()
    domain.page = { body: policy('enforce') }
    const fail = () => Promise.reject(new Error('away'))
    await domain.restart({ find: fail, keep: fail })
    assert.equal(await domain.deliver(), 'deferred 4.3.0')
    await domain.restart({ find: async () => undefined, keep: fail })
    assert.equal(await domain.deliver(), 'delivered 2.0.0')
  })

  test('a fetch that failed is not repeated for five minutes', async () => {
    await using domain = await Domain.start()
    domain.page = { status: 500 }
    for (let n = 0; n < 4; n++) {
      await domain.deliver()
      domain.clock.advance(70_000)
    }
    assert.equal(domain.requests.length, 1)
    domain.clock.advance(70_000)
    await domain.deliver()
    assert.equal(domain.requests.length, 2)
  })
})

function noTls(step: string): string | undefined {
  return step === 'ehlo' ? '250 sink.example' : undefined
}

function cutsHandshake(step: string) {
  return step === 'handshake' ? ({ next: 'hang up' } as const) : undefined
}

describe('the text of a policy', () => {
  const enforced = { mode: 'enforce', mx: ['mx.dest.test'], maxAge: 86_400 }
  for (const [what, text, expected] of [
    ['as it should be', policy('enforce'), enforced],
    [
      'with several hosts, LF alone and odd spaces',
      'version:STSv1\nmx : A.test.\nmode:\ttesting \nmx: *.b.test\nmax_age: 1',
      { mode: 'testing', mx: ['a.test', '*.b.test'], maxAge: 1 },
    ],
    ['of mode none, without hosts', 'version: STSv1\nmode: none\nmax_age: 0', { mode: 'none', mx: [], maxAge: 0 }],
    ['with fields to come', `${policy('enforce')}new: 1\n`, enforced],
    ['for ever', policy('enforce', 'x.test', 9_999_999_999), { mode: 'enforce', mx: ['x.test'], maxAge: 31_557_600 }],
    ['with two modes', `${policy('enforce')}mode: none\n`, enforced],
    ['with 60,000 spaces in a field', `${policy('enforce')}new: 1${' '.repeat(60_000)}2\n`, enforced],
    ['with a field 20,000 times', `${policy('enforce')}${'a:\n'.repeat(20_000)}`, enforced],
    ['of another version', policy('enforce').replace('STSv1', 'STSv2'), undefined],
    ['without hosts', 'version: STSv1\nmode: enforce\nmax_age: 1', undefined],
    ['without a time', 'version: STSv1\nmode: enforce\nmx: a.test', undefined],
    ['of an unknown mode', policy('strict'), undefined],
    ['with a negative time', policy('enforce', 'a.test', -1), undefined],
    ['empty', '', undefined],
  ] as const)
    test(what, () => assert.deepEqual(parsePolicy(text), expected))

  for (const [pattern, name, expected] of [
    ['mx.dest.test', 'mx.dest.test', true],
    ['*.dest.test', 'mx.dest.test', true],
    ['*.dest.test', 'a.mx.dest.test', false],
    ['*.dest.test', 'dest.test', false],
    ['mx.dest.test', 'xmx.dest.test', false],
  ] as const)
    test(`${pattern} ${expected ? 'names' : 'does not name'} ${name}`, () =>
      assert.equal(names({ mode: 'enforce', mx: [pattern] }, name), expected))

  for (const [records, id] of [
    [['v=STSv1; id=20160831085700Z;'], '20160831085700Z'],
    [['v=STSv1;id=1'], '1'],
    [['v=spf1 -all', 'v=STSv1; id=1; new=x'], '1'],
    [['v=STSv1; id=1', 'v=STSv1; id=2'], undefined],
    [['v=STSv1'], undefined],
    [['v=STSv1; id=a-b'], undefined],
    [[`v=STSv1; id=${'a'.repeat(33)}`], undefined],
    [[], undefined],
  ] as const)
    test(`${JSON.stringify(records)} announces ${id}`, () => assert.equal(policyId(records), id))
})
