import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { pino } from 'pino'
import { ManualClock } from '#/base/clock/manual.ts'
import { ZoneResolver } from '#/domains/resolver/zone.ts'
import { DirectMxRelay } from '#/out/relay/direct-mx/direct-mx.ts'
import type { Delivery, Outcome, Relay } from '#/out/relay/relay.ts'
import { SmarthostRelay } from '#/out/relay/smarthost.ts'
import { letter, short } from '#test/out/relay/bench.ts'
import { certificateFor } from '#test/world/sockets/certificate.ts'
import { Sink } from '#test/world/sockets/sink.ts'
import { Postfix } from './postfix.ts'

const certificate = certificateFor('mx.dest.test')

function send(relay: Relay, given: Partial<Delivery> = {}): Promise<readonly Outcome[]> {
  const usual = { ...letter('Subject: Hello\r\n\r\nHello\r\n'), beforeEndOfData: async () => {} }
  return relay.deliver({ ...usual, ...given }, new AbortController().signal)
}

/** The message without what Postfix puts in front, with CR LF again. */
function content(stored: Buffer | undefined): string {
  const text = (stored ?? Buffer.alloc(0)).toString().replaceAll('\n', '\r\n')
  return text.slice(text.indexOf('Subject:'))
}

describe('Postfix as the MX of a domain', () => {
  let postfix: Postfix
  let relay: DirectMxRelay
  before(async () => {
    const mailboxes = ['ada', 'bob', 'jürgen', 'later'].map((name) => {
      return `{ ${name}@dest.test = ${name}/ }`
    })
    postfix = await Postfix.start(
      {
        virtual_mailbox_domains: 'dest.test',
        virtual_mailbox_maps: `inline:{ ${mailboxes.join(' ')} }`,
        smtpd_recipient_restrictions: 'check_recipient_access inline:{ { later@dest.test = 450 4.2.1 Come again } }',
        message_size_limit: '200000',
      },
      certificate,
    )
    relay = new DirectMxRelay({
      resolver: new ZoneResolver({
        'dest.test': { mx: [{ exchange: 'mx.dest.test', priority: 10 }] },
        'mx.dest.test': { a: ['127.0.0.1'] },
      }),
      clock: new ManualClock(new Date()),
      name: 'us.example',
      log: pino({ level: 'silent' }),
      allowPrivate: true,
      port: postfix.port,
    })
  })
  after(async () => {
    await relay[Symbol.asyncDispose]()
    await postfix[Symbol.asyncDispose]()
  })

  test('a message arrives as it was, over TLS', async () => {
    const fields = 'From: ann@us.example\r\nDate: Sat, 21 Nov 2026 12:00:00 +0000\r\nMessage-ID: <1@us.example>\r\n'
    const text = `Subject: Dots\r\n${fields}\r\n.\r\n..\r\n.one\r\nÄ 漢\r\n${'x'.repeat(900)}\r\n\r\n.\r\n`
    const [outcome] = await send(relay, letter(text))
    assert.match(outcome?.reply ?? '', /^250 2\.0\.0 Ok: queued as /)
    assert.deepEqual([outcome?.result, outcome?.status, outcome?.host], ['delivered', '2.0.0', 'mx.dest.test'])
    const [stored] = await postfix.mailOf('ada', 1)
    assert.equal(content(stored), text)
    assert.match(stored?.toString() ?? '', /\(using TLSv1\.3/)
    assert.match(stored?.toString() ?? '', /^Return-Path: <ann@us\.example>$/m)
  })

  test('each recipient has its own outcome', async () => {
    const recipients = ['nobody@dest.test', 'bob@dest.test', 'later@dest.test']
    const outcomes = await send(relay, { recipients })
    assert.deepEqual(short(outcomes), ['refused 5.1.1', 'delivered 2.0.0', 'deferred 4.2.1'])
    assert.match(outcomes[0]?.reply ?? '', /^550 5\.1\.1 <nobody@dest\.test>: Recipient address rejected/)
    assert.match(outcomes[2]?.reply ?? '', /^450 4\.2\.1 .*Come again$/)
    await postfix.mailOf('bob', 1)
  })

  test('an internationalised address is reached', async () => {
    const outcomes = await send(relay, { recipients: ['jürgen@dest.test'], smtpUtf8: true })
    assert.deepEqual(short(outcomes), ['delivered 2.0.0'])
    assert.match((await postfix.mailOf('jürgen', 1)).toString(), /with UTF8SMTPS/)
  })

  test('what is too large and says it is not is refused by Postfix', async () => {
    const outcomes = await send(relay, { ...letter(`Subject: x\r\n\r\n${'x\r\n'.repeat(100_000)}`), size: 100 })
    assert.deepEqual(short(outcomes), ['refused 5.3.4'])
    assert.match(outcomes[0]?.reply ?? '', /^552 5\.3\.4 /)
  })
})

describe('Postfix as a smarthost', () => {
  test('accepts mail over verified TLS, passes it on, and may be restarted meanwhile', async () => {
    await using next = await Sink.start()
    const settings = {
      mynetworks: '127.0.0.0/8',
      relayhost: `[127.0.0.1]:${next.port}`,
      smtp_tls_security_level: 'none',
    }
    await using postfix = await Postfix.start({ ...settings, smtpd_tls_security_level: 'encrypt' }, certificate)
    const endpoint = { host: 'mx.dest.test', address: '127.0.0.1', port: postfix.port }
    const peer = { ...endpoint, tls: 'required', ca: certificate.cert } as const
    await using relay = new SmarthostRelay({ peer, name: 'us.example' })
    const recipients = ['ada@one.test', 'bob@two.test']
    assert.deepEqual(short(await send(relay, { recipients })), ['delivered 2.0.0', 'delivered 2.0.0'])
    await postfix.command('stop')
    assert.match(short(await send(relay, { recipients }))[0] ?? '', /^deferred 4\.[34]\.[12]$/)
    await postfix.command('start')
    assert.deepEqual(short(await send(relay, { recipients })), ['delivered 2.0.0', 'delivered 2.0.0'])
    await next.until(({ taken }) => taken.flatMap(({ to }) => to).length === 4)
    assert.deepEqual(new Set(next.taken.flatMap(({ to }) => to)), new Set(recipients))
    // Without TLS it takes nothing.
    await using clear = new SmarthostRelay({ peer: { ...endpoint, tls: 'never' }, name: 'us.example' })
    assert.deepEqual(short(await send(clear, { recipients: ['ada@one.test'] })), ['refused 5.7.0'])
  })
})
