import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { createSecureContext } from 'node:tls'
import fc from 'fast-check'
import { pino } from 'pino'
import { SystemClock } from '#/base/clock/system.ts'
import type { Limits } from '#/smtp/connection/limits.ts'
import { admitted } from '#/smtp/inbound/recipients/fixtures/admitted.ts'
import { each } from '#test/world/each.ts'
import { ofFile } from '#test/world/of-file.ts'
import { testCertificate } from '#test/world/sockets/certificate.ts'
import { SmtpClient } from '#test/world/sockets/smtp-client.ts'
import type { Envelope } from './envelope.ts'
import { Rejection, reply } from './reply.ts'
import { SmtpListener } from './smtp-listener.ts'

/** What some servers take for the end of a message, and so for the start of the next command. */
const fakeEnds = [
  ...['\n.\n', '\n.\r\n', '\r.\r', '\r.\r\n', '\r\n.\n', '\r\n.\r', '\n.\r', '\r.\n', '\r\r\n.\n', '\r\n\n.\r\n'],
  ...['\r\n.\r\r\n', '\n\n.\n\n', '\r\n\0.\r\n', '\r\n.\0\r\n'],
]

const tls = { context: async () => createSecureContext(testCertificate) }

/** A listener whose mail goes into a list: what is under test is what is said on the wire. */
async function listener(limits: Partial<Limits> = {}) {
  const taken: { envelope: Envelope; text: string }[] = []
  const logged: Record<string, unknown>[] = []
  const entered = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  const smtp = new SmtpListener(
    { hostname: 'mx.example', tls, limits: { greetingDelay: 20, ...limits } },
    {
      async admit(_sender, recipient) {
        if (recipient.startsWith('broken')) throw new Error('the database is away')
        if (!recipient.endsWith('@here.example')) throw new Rejection(550, '5.1.1', 'No such address here')
        const concealed = recipient.startsWith('private')
        if (/^(?:private-)?blocking@/.test(recipient))
          throw Object.assign(new Rejection(550, '5.7.1', 'Sender blocked by the recipient'), { concealed })
        return admitted({ recipient, private: concealed })
      },
      async receive(envelope: Envelope, bytes: Buffer) {
        entered.resolve()
        if (envelope.sender.startsWith('slow')) await held.promise
        if (envelope.sender.startsWith('forged')) throw new Rejection(550, '5.7.26', 'Not from this domain')
        taken.push({ envelope, text: bytes.toString('latin1') })
        return { reply: reply(250, '2.6.0', 'Stored'), otherwise: new Map() }
      },
    },
    new SystemClock(),
    pino({ level: 'info' }, { write: (line: string) => void logged.push(JSON.parse(line)) }),
  )
  await smtp.listen('127.0.0.1', 0)
  return {
    port: smtp.port,
    taken,
    logged,
    /** Resolves when a message is being taken; one from a slow sender is not taken before `release`. */
    entered: entered.promise,
    release: held.resolve,
    [Symbol.asyncDispose]: () => smtp[Symbol.asyncDispose](),
  }
}

const server = ofFile(await listener())
let client: SmtpClient
beforeEach(async () => {
  client = await SmtpClient.greeted(server.port)
})
afterEach(() => client[Symbol.asyncDispose]())

/** Has a client send a message, and answers what it hears. */
async function sent(by: SmtpClient, text: string, from = 'ann@peer.example'): Promise<string> {
  return (await by.send(from, 'bob@here.example', text)).codes
}

const begin = (by: SmtpClient) => by.begin('ann@peer.example', 'bob@here.example')

/** What was written to a socket of this machine is there, and read in the next turn of the event loop. */
async function turns(): Promise<void> {
  await new Promise(setImmediate)
  await new Promise(setImmediate)
}

test('the greeting and EHLO say who we are and what we can do', async () => {
  await using client = await SmtpClient.open(server.port)
  assert.deepEqual((await client.reply()).lines, ['220 mx.example ESMTP'])
  const { lines } = await client.say('EHLO peer.example')
  const more = ['PIPELINING', 'SIZE 26214400', '8BITMIME', 'SMTPUTF8', 'ENHANCEDSTATUSCODES', 'STARTTLS']
  const said = lines.map((line) => line.slice(4))
  assert.deepEqual(said, ['mx.example', ...more])
  assert.deepEqual((await client.say('HELO peer.example')).lines, ['250 mx.example'])
})

test('every reply but the greeting, to EHLO and 354 has an enhanced status code (RFC 2034)', async () => {
  for (const [line, expected] of [
    ['NOOP', '250 2.0.0'],
    ['RSET', '250 2.0.0'],
    ['VRFY ann', '252 2.1.5'],
    ['HELP', '214 2.0.0'],
    ['EXPN list', '502 5.5.1'],
    ['AUTH PLAIN AGEAYg==', '502 5.5.1'],
    ['WIZ', '500 5.5.1'],
    ['STARTTLS now', '501 5.5.4'],
    ['DATA now', '501 5.5.4'],
    ['EHLO two names', '501 5.5.4'],
    ['RCPT TO:<ann@here.example>', '503 5.5.1'],
    ['DATA', '503 5.5.1'],
    ['MAIL FROM:<ann@peer.example', '501 5.1.7'],
    ['MAIL FROM:<ann@peer.example>', '250 2.1.0'],
    ['MAIL FROM:<ann@peer.example>', '503 5.5.1'],
    ['DATA', '554 5.5.1'],
    ['RCPT TO:<nobody@elsewhere.example>', '550 5.1.1'],
    ['RCPT TO:<broken@here.example>', '451 4.3.0'],
    ['RCPT TO:<bob@here.example>', '250 2.1.5'],
    ['QUIT', '221 2.0.0'],
  ] as const)
    assert.equal((await client.say(line)).codes, expected, line)
  assert.equal(await client.rest(), '')
})

test('a message arrives as it was sent, with its envelope', async () => {
  const to = ['bob@here.example', 'cy@here.example']
  assert.equal((await client.send('ann@peer.example', to, 'Subject: Hi\r\n\r\n.dot')).codes, '250 2.6.0')
  const { envelope, text } = server.taken.at(-1) ?? assert.fail()
  assert.equal(text, 'Subject: Hi\r\n\r\n.dot\r\n')
  assert.deepEqual(envelope.client, { address: '127.0.0.1', helo: 'peer.example', protocol: 'ESMTP', tls: undefined })
  assert.equal(envelope.sender, 'ann@peer.example')
  assert.deepEqual(each(envelope.recipients, 'recipient'), to)
})

test('a whole transaction may be pipelined, up to DATA', async () => {
  client.write('RSET\r\nMAIL FROM:<>\r\nRCPT TO:<no@x.example>\r\nRCPT TO:<bob@here.example>\r\nDATA\r\n')
  const codes: number[] = []
  for (let n = 0; n < 5; n++) codes.push((await client.reply()).code)
  assert.deepEqual(codes, [250, 250, 550, 250, 354])
  client.write('one\r\n.\r\nMAIL FROM:<>\r\nRCPT TO:<bob@here.example>\r\nDATA\r\n')
  for (const code of [250, 250, 250, 354]) assert.equal((await client.reply()).code, code)
  client.write('two\r\n.\r\nQUIT\r\n')
  for (const code of [250, 221]) assert.equal((await client.reply()).code, code)
  assert.deepEqual(each(server.taken.slice(-2), 'text'), ['one\r\n', 'two\r\n'])
})

test('commands and messages may come in pieces of any size', async () => {
  const say = async (octets: string) => {
    for (const octet of octets) {
      client.write(octet)
      await new Promise(setImmediate)
    }
    return (await client.reply()).code
  }
  assert.equal(await say('MAIL FROM:<ann@peer.example>\r\n'), 250)
  assert.equal(await say('RCPT TO:<bob@here.example>\r\n'), 250)
  assert.equal(await say('DATA\r\n'), 354)
  assert.equal(await say('..\r\nx\r\n.\r\n'), 250)
  assert.equal(server.taken.at(-1)?.text, '.\r\nx\r\n')
})

test('a reply does not wait for the rest of a command that has begun', async () => {
  client.write('NOOP\r\nNO')
  assert.equal((await client.reply()).code, 250)
  client.write('OP\r\n')
  assert.equal((await client.reply()).code, 250)
})

test('a message with a NUL is answered once, with 554 5.6.0, and the session continues', async () => {
  const before = server.taken.length
  assert.equal(await sent(client, 'a\0b'), '554 5.6.0')
  assert.equal(await sent(client, 'fine'), '250 2.6.0')
  assert.equal(server.taken.length, before + 1)
})

for (const [what, line, codes] of [
  ['ends in LF', 'NOOP\n', '500 5.5.2'],
  ['holds a CR', 'NO\rOP\r\n', '500 5.5.2'],
  ['is too long', `NOOP ${'x'.repeat(3000)}\r\n`, '500 5.5.2'],
  ['has a NUL', 'NOOP \0\r\n', '501 5.5.2'],
  ['has a control character', 'NOOP \x1b[2J\r\n', '501 5.5.2'],
  ['has broken UTF-8', 'NOOP \xff\r\n', '501 5.5.2'],
] as const)
  test(`a command that ${what} is refused with ${codes}`, async () => {
    client.write(line)
    assert.equal((await client.reply()).codes, codes)
    assert.equal((await client.say('NOOP')).code, 250)
  })

test('a client that sends before the greeting gets 554 5.5.0 and is disconnected', async (t) => {
  const waits = Promise.withResolvers<() => void>()
  const { setTimeout } = globalThis
  const noting = (work: () => void, ms: number) => (ms === 20 ? void waits.resolve(work) : setTimeout(work, ms))
  t.mock.method(globalThis, 'setTimeout', noting as typeof setTimeout)
  await using client = await SmtpClient.open(server.port, { first: 'EHLO peer.example\r\n' })
  const greet = await waits.promise
  await turns()
  greet()
  assert.match(await client.rest(), /^554 5\.5\.0 .*\r\n$/)
})

for (const line of ['STARTTLS', 'EHLO peer.example'])
  test(`commands behind ${line}, which may change what is allowed, hear 554 5.5.0 and are not carried out`, async () => {
    client.write(`${line}\r\nMAIL FROM:<ann@peer.example>\r\n`)
    assert.match(await client.rest(), /^554 5\.5\.0 .*\r\n$/)
  })

test('a message that does not wait for 354 gets 554 5.5.0 and is not accepted', async () => {
  const before = server.taken.length
  client.write('MAIL FROM:<ann@peer.example>\r\nRCPT TO:<bob@here.example>\r\nDATA\r\nhello\r\n.\r\n')
  assert.match(await client.rest(), /^250 2\.1\.0 .*\r\n250 2\.1\.5 .*\r\n554 5\.5\.0 .*\r\n$/)
  assert.equal(server.taken.length, before)
})

test('after STARTTLS all is forgotten, and the message comes over TLS', async () => {
  await client.say('MAIL FROM:<ann@peer.example>')
  assert.equal((await client.startTls()).code, 220)
  assert.equal((await client.say('RCPT TO:<bob@here.example>')).code, 503)
  assert.equal((await client.say('MAIL FROM:<ann@peer.example>')).code, 503)
  const { lines } = await client.say('EHLO peer.example')
  assert.ok(!lines.some((line) => line.includes('STARTTLS')))
  assert.equal((await client.say('STARTTLS')).code, 503)
  assert.equal(await sent(client, 'secret'), '250 2.6.0')
  assert.match(server.taken.at(-1)?.envelope.client.tls ?? '', /^TLSv1\.3 TLS_/)
})

test('what is no TLS after STARTTLS ends the connection', async () => {
  assert.equal((await client.say('STARTTLS')).code, 220)
  client.write('MAIL FROM:<ann@peer.example>\r\n'.repeat(20))
  assert.doesNotMatch(await client.rest(), /250/)
})

test('a client that resets the connection in the middle of the handshake harms nobody', async () => {
  assert.equal((await client.say('STARTTLS')).code, 220)
  client.write('\x16\x03\x01\x02\x00')
  await turns()
  client.reset()
  await using next = await SmtpClient.greeted(server.port)
  assert.equal((await next.say('NOOP')).code, 250)
})

for (const [from, to, what, sender] of [
  ['ann@peer.example', 'blocking@here.example', 'recipient refused', 'ann@peer.example'],
  ['ann@peer.example', 'private-blocking@here.example', 'recipient refused', undefined],
  ['forged@peer.example', 'bob@here.example', 'message refused', 'forged@peer.example'],
  ['forged@peer.example', 'private@here.example', 'message refused', undefined],
] as const)
  test(`where ${to} is refused mail the log ${sender ? 'names' : 'does not name'} the sender`, async () => {
    server.logged.length = 0
    assert.equal((await client.send(from, to, 'hello')).code, 550)
    const [line, ...more] = server.logged
    assert.deepEqual([line?.msg, line?.sender, more], [what, sender, []])
  })

for (const [when, octets] of [
  ['before the handshake', ''],
  ['in the middle of the handshake', '\x16\x03\x01\x02\x00'],
  ['at what may be one', 'x'],
] as const)
  test(`a client that leaves ${when} is not waited for`, async () => {
    assert.equal((await client.say('STARTTLS')).code, 220)
    client.write(octets)
    await turns()
    client.end()
    assert.equal(await client.rest(), '')
  })

test('the reply to MAIL before EHLO names the missing command', async () => {
  await using client = await SmtpClient.open(server.port)
  await client.reply()
  assert.deepEqual((await client.say('MAIL FROM:<ann@peer.example>')).lines, ['503 5.5.1 Send EHLO first'])
})

test('a client that has shut down its side still gets the replies', async () => {
  client.write('NOOP\r\nRSET\r\n')
  client.end()
  assert.match(await client.rest(), /^250 .*\r\n250 .*\r\n$/)
})

test('a message declared too large is refused at MAIL, with 552 5.3.4', async () => {
  assert.equal((await client.say('MAIL FROM:<ann@peer.example> SIZE=26214401')).codes, '552 5.3.4')
  assert.equal((await client.say('MAIL FROM:<ann@peer.example> SIZE=26214400')).code, 250)
})

test('the 101st recipient of a message gets 452 4.5.3', async () => {
  await client.say('MAIL FROM:<ann@peer.example>')
  for (let n = 0; n < 100; n++) assert.equal((await client.say(`RCPT TO:<r${n}@here.example>`)).code, 250)
  assert.equal((await client.say('RCPT TO:<bob@here.example>')).codes, '452 4.5.3')
})

test('twenty errors without a message are enough', async () => {
  client.write('WIZ\r\n'.repeat(30))
  assert.match(await client.rest(), /^(500 5\.5\.1 .*\r\n){20}421 4\.7\.0 .*\r\n$/)
})

test('a client that is disconnected during a handshake gets nothing in the clear', async () => {
  await using server = await listener({ connections: 2 })
  await using one = await SmtpClient.greeted(server.port)
  await using other = await SmtpClient.greeted(server.port)
  for (const client of [one, other]) assert.equal((await client.say('STARTTLS')).code, 220)
  await using third = await SmtpClient.greeted(server.port, { localAddress: '127.0.0.2' })
  assert.equal((await third.say('NOOP')).code, 250)
  assert.equal(await one.rest(), '')
})

test('without a certificate STARTTLS is neither offered nor accepted', async () => {
  const log = pino({ level: 'silent' })
  const handler = { admit: () => assert.fail(), receive: () => assert.fail() }
  await using smtp = new SmtpListener({ hostname: 'mx.example' }, handler, new SystemClock(), log)
  await smtp.listen('127.0.0.1', 0)
  await using client = await SmtpClient.open(smtp.port)
  await client.reply()
  assert.doesNotMatch((await client.say('EHLO peer.example')).lines.join(), /STARTTLS/)
  assert.equal((await client.say('STARTTLS')).codes, '502 5.5.1')
})

for (const end of fakeEnds)
  test(`${JSON.stringify(end)} and a message behind it, cut anywhere: one 554 5.6.0, and the session is in step`, async () => {
    await using server = await listener({ errors: 100 })
    await using client = await SmtpClient.greeted(server.port)
    const smuggled = 'MAIL FROM:<x@y.example>\r\nRCPT TO:<bob@here.example>\r\nDATA\r\nno\r\n.\r\n'
    for (let cut = 0; cut <= end.length; cut++) {
      await begin(client)
      client.write(`a${end.slice(0, cut)}`)
      await turns()
      client.write(`${end.slice(cut)}${smuggled}NOOP\r\n`)
      assert.match((await client.reply()).lines.join(), /^554 5\.6\.0 /)
      assert.match((await client.reply()).lines.join(), /^250 2\.0\.0 /)
    }
    assert.equal(await sent(client, 'fine'), '250 2.6.0')
    assert.deepEqual(each(server.taken, 'text'), ['fine\r\n'])
  })

test('a message that turns out too large is read to its end, then refused with 552 5.3.4', async () => {
  await using server = await listener({ messageSize: 10_000 })
  await using client = await SmtpClient.greeted(server.port)
  const line = `${'x'.repeat(98)}\r\n`
  assert.equal(await sent(client, line.repeat(100)), '552 5.3.4')
  assert.equal(await sent(client, line.repeat(99)), '250 2.6.0')
})

test('a message without end is cut off', async () => {
  await using server = await listener({ messageSize: 10_000 })
  await using client = await SmtpClient.greeted(server.port)
  await begin(client)
  client.write('x'.repeat(30_000))
  assert.match(await client.rest(), /^552 5\.3\.4 .*\r\n$/)
})

test('a message for which there is no memory gets 452 4.3.1, and a later one is accepted', async () => {
  await using server = await listener({ messageSize: 10_000, memory: 12_000 })
  await using one = await SmtpClient.greeted(server.port)
  await using two = await SmtpClient.greeted(server.port)
  const held = sent(one, 'x'.repeat(9_000), 'slow@peer.example')
  await server.entered
  assert.equal(await sent(two, 'x'.repeat(9_000)), '452 4.3.1')
  assert.equal((await two.say('MAIL FROM:<ann@peer.example> SIZE=9000')).codes, '452 4.3.1')
  server.release()
  assert.deepEqual([await held, await sent(two, 'x'.repeat(9_000))], ['250 2.6.0', '250 2.6.0'])
})

test('one address has so many connections and no more; another is served', async () => {
  await using server = await listener({ connectionsPerClient: 3 })
  await using clients = new AsyncDisposableStack()
  for (let n = 0; n < 3; n++) clients.use(await SmtpClient.greeted(server.port))
  await using fourth = await SmtpClient.open(server.port)
  assert.match(await fourth.rest(), /^421 4\.7\.0 /)
  await using other = await SmtpClient.greeted(server.port, { localAddress: '127.0.0.2' })
  assert.equal((await other.say('NOOP')).code, 250)
})

test('at the limit of connections the longest idle one is closed', async () => {
  await using server = await listener({ connections: 3 })
  await using idle = await SmtpClient.greeted(server.port)
  await using sending = await SmtpClient.greeted(server.port)
  await sending.say('MAIL FROM:<ann@peer.example>')
  await using third = await SmtpClient.greeted(server.port)
  await using fourth = await SmtpClient.greeted(server.port)
  assert.match(await idle.rest(), /^421 4\.3\.2 /)
  for (const client of [sending, third, fourth]) assert.equal((await client.say('NOOP')).code, 250)
})

test('at the limit of connections, all in messages without an end, the client with most loses one', async () => {
  await using server = await listener({ connections: 4 })
  await using clients = new AsyncDisposableStack()
  const begun = async (localAddress: string) => {
    const client = clients.use(await SmtpClient.greeted(server.port, { localAddress }))
    await begin(client)
    return client
  }
  const [first, second, third] = [await begun('127.0.0.2'), await begun('127.0.0.2'), await begun('127.0.0.2')]
  const other = await begun('127.0.0.3')
  const refused = clients.use(await SmtpClient.open(server.port, { localAddress: '127.0.0.2' }))
  assert.match(await refused.rest(), /^421 4\.7\.0 /)
  assert.equal((await (await begun('127.0.0.4')).say('x\r\n.')).code, 250)
  assert.match(await first.rest(), /^421 4\.3\.2 /)
  for (const client of [second, third, other]) assert.equal((await client.say('x\r\n.')).code, 250)
})

test('a client that says nothing, or an octet at a time, runs out of time', async (t) => {
  const now = performance.now()
  const time = t.mock.method(performance, 'now', () => now)
  t.mock.timers.enable({ apis: ['setInterval'] })
  await using server = await listener()
  await using silent = await SmtpClient.greeted(server.port)
  await using slow = await SmtpClient.greeted(server.port)
  for (const passed of [299_999, 300_000]) {
    slow.write('N')
    await turns()
    time.mock.mockImplementation(() => now + passed)
    t.mock.timers.tick(1_000)
  }
  assert.match(await silent.rest(), /^421 4\.4\.2 /)
  assert.match(await slow.rest(), /^421 4\.4\.2 /)
})

for (const [what, slowest, octets] of [
  ['at an octet at a time', 10_000, 'x'],
  ['that came fast and then no more', 1, 'x'.repeat(100_000)],
] as const)
  test(`a message ${what} runs out of time`, async () => {
    await using server = await listener({ message: 60, slowest })
    await using client = await SmtpClient.greeted(server.port)
    await begin(client)
    client.write(octets)
    const trickle = setInterval(() => client.write(octets.length > 1 ? '' : octets), 5)
    assert.match(await client.rest(), /^421 4\.4\.2 /)
    clearInterval(trickle)
  })

test('one address cannot use all memory for messages; another is served', async () => {
  await using server = await listener({ messageSize: 10_000, memory: 24_000 })
  await using first = await SmtpClient.greeted(server.port)
  await begin(first)
  first.write('x'.repeat(9_000))
  await using second = await SmtpClient.greeted(server.port)
  assert.equal(await sent(second, 'x'.repeat(9_000)), '452 4.3.1')
  await using other = await SmtpClient.greeted(server.port, { localAddress: '127.0.0.2' })
  assert.equal(await sent(other, 'x'.repeat(9_000)), '250 2.6.0')
  first.write('\r\n.\r\n')
  assert.equal((await first.reply()).code, 250)
  assert.equal(await sent(second, 'x'.repeat(9_000)), '250 2.6.0')
})

test('slow senders that hold all the room give way to one that is not, the slowest first', async () => {
  await using server = await listener({ messageSize: 10_000, memory: 20_000, slow: 0 })
  const begun = async (localAddress: string) => {
    const client = await SmtpClient.greeted(server.port, { localAddress })
    await begin(client)
    client.write('x'.repeat(9_900))
    return client
  }
  await using first = await begun('127.0.0.2')
  await using second = await begun('127.0.0.3')
  await using other = await SmtpClient.greeted(server.port, { localAddress: '127.0.0.4' })
  // Declared, too, it is not turned away at MAIL.
  assert.equal((await other.say('MAIL FROM:<ann@peer.example> SIZE=9000')).code, 250)
  await other.say('RSET')
  assert.equal(await sent(other, 'x'.repeat(9_000)), '250 2.6.0')
  assert.match(await first.rest(), /^421 4\.3\.2 Server busy and transfer too slow/)
  assert.equal((await second.say('x\r\n.')).code, 250)
})

test('stopping disconnects idle clients, finishes the current message, and accepts no new client', async () => {
  const server = await listener()
  await using idle = await SmtpClient.greeted(server.port)
  await using sending = await SmtpClient.greeted(server.port)
  const message = sent(sending, 'hello', 'slow@peer.example')
  await server.entered
  const stopped = server[Symbol.asyncDispose]()
  assert.match(await idle.rest(), /^421 4\.3\.2 /)
  await assert.rejects(SmtpClient.open(server.port))
  server.release()
  assert.equal(await message, '250 2.6.0')
  assert.match(await sending.rest(), /^421 4\.3\.2 /)
  await stopped
  assert.equal(server.taken.length, 1)
})

test('a listener that has stopped leaves no timer behind', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((one) => one === 'Timeout').length
  const before = timers()
  const server = await listener()
  await server[Symbol.asyncDispose]()
  assert.ok(timers() <= before)
})

test('stopping does not wait for ever for a message that does not end', async () => {
  const server = await listener({ stop: 50, linger: 10 })
  await using client = await SmtpClient.greeted(server.port)
  await begin(client)
  await server[Symbol.asyncDispose]()
  assert.equal(server.taken.length, 0)
})

test('stopping does not wait for ever for a message that is not stored; its client gets no 250', async () => {
  const server = await listener({ stop: 50, linger: 10 })
  await using client = await SmtpClient.greeted(server.port)
  const message = sent(client, 'hello', 'slow@peer.example')
  await server.entered
  await Promise.all([server[Symbol.asyncDispose](), assert.rejects(message)])
  server.release()
})

test('a message is stored though its client vanishes after the end of data', async () => {
  await using server = await listener()
  await using client = await SmtpClient.greeted(server.port)
  await client.begin('slow@peer.example', 'bob@here.example')
  client.write('gone\r\n.\r\n')
  await server.entered
  client.vanish()
  server.release()
  await using next = await SmtpClient.greeted(server.port)
  await next.say('NOOP')
  assert.deepEqual(each(server.taken, 'text'), ['gone\r\n'])
})

test('whatever clients send, in any pieces, accepted messages are those that were sent, and others are served', async () => {
  await using server = await listener({ greetingDelay: 1, errors: 1000 })
  const fragments = [
    ...['EHLO a\r\n', 'HELO a\r\n', 'MAIL FROM:<a@b.test>\r\n', 'RCPT TO:<c@here.example>\r\n', 'DATA\r\n', 'RSET\r\n'],
    ...['STARTTLS\r\n', 'QUIT\r\n', 'NOOP', '\r\n', '\n', '\r', '.', '.\r\n', '\r\n.\r\n', '\0', 'x', '\xff', ' '],
  ]
  const transaction = 'MAIL FROM:<a@b.example>\r\nRCPT TO:<c@here.example>\r\nDATA\r\n'
  const chunk = fc.oneof(fc.array(fc.constantFrom(...fragments), { maxLength: 8 }), fc.constant([transaction]))
  await fc.assert(
    fc.asyncProperty(fc.array(chunk, { maxLength: 6 }), async (chunks) => {
      const before = server.taken.length
      await using client = await SmtpClient.greeted(server.port)
      for (const parts of chunks) {
        client.write(parts.join(''))
        await turns()
      }
      client.end()
      const said = await client.rest()
      assert.match(said, /^(\d{3}[ -][ -~]*\r\n)*$/)
      const stored = said.match(/^250 2\.6\.0 /gm)?.length ?? 0
      assert.equal(server.taken.length - before, stored)
      for (const { text } of server.taken.slice(before)) assert.doesNotMatch(text, /\0|\r(?!\n)|(?<!\r)\n/)
    }),
    { numRuns: 300 },
  )
  await using last = await SmtpClient.greeted(server.port)
  assert.equal(await sent(last, 'still here'), '250 2.6.0')
})
