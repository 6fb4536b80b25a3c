import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { pino } from 'pino'
import { SystemClock } from '#/base/clock/system.ts'
import { admitted } from '#/smtp/inbound/recipients/fixtures/admitted.ts'
import { SmtpClient } from '#test/world/sockets/smtp-client.ts'
import type { Envelope } from './envelope.ts'
import { Rejection, reply } from './reply.ts'
import { SmtpListener } from './smtp-listener.ts'

const taken: Envelope[] = []
const lmtp = new SmtpListener(
  { protocol: 'LMTP', hostname: 'mx.example', limits: { greetingDelay: 0, messageSize: 10_000 } },
  {
    async admit(_sender, recipient) {
      const [local = ''] = recipient.split('@')
      if (local === 'nobody') throw new Rejection(550, '5.1.1', 'No such address here')
      return admitted({ recipient, mailboxId: local })
    },
    async receive(envelope: Envelope) {
      if (envelope.sender.startsWith('broken')) throw new Error('the database is away')
      taken.push(envelope)
      const otherwise = new Map([['blocking', reply(550, '5.7.1', 'Not from you')]])
      return { reply: reply(250, '2.6.0', 'Stored'), otherwise }
    },
  },
  new SystemClock(),
  pino({ level: 'silent' }),
)
await lmtp.listen('127.0.0.1', 0)
after(() => lmtp[Symbol.asyncDispose]())

async function greeted(): Promise<SmtpClient> {
  const client = await SmtpClient.open(lmtp.port)
  await client.reply()
  await client.say('LHLO relay.example')
  return client
}

/** Hands a message over, and answers what was said for each recipient that had been taken. */
async function deliver(client: SmtpClient, from: string, to: readonly string[], text = 'Hi'): Promise<string[]> {
  await client.say(`MAIL FROM:<${from}>`)
  let count = 0
  for (const one of to) if ((await client.say(`RCPT TO:<${one}@here.example>`)).code === 250) count++
  await client.say('DATA')
  client.write(`Subject: Hi\r\n\r\n${text}\r\n.\r\n`)
  const replies: string[] = []
  while (replies.length < count) replies.push((await client.reply()).codes)
  assert.equal((await client.say('NOOP')).codes, '250 2.0.0', 'no reply is left over')
  return replies
}

test('LHLO greets, EHLO and HELO do not (RFC 2033, section 4.1)', async () => {
  await using client = await SmtpClient.open(lmtp.port)
  assert.deepEqual((await client.reply()).lines, ['220 mx.example LMTP'])
  assert.equal((await client.say('EHLO relay.example')).codes, '500 5.5.1')
  assert.equal((await client.say('HELO relay.example')).codes, '500 5.5.1')
  assert.deepEqual((await client.say('MAIL FROM:<ann@peer.example>')).lines, ['503 5.5.1 Send LHLO first'])
  const { lines } = await client.say('LHLO relay.example')
  const more = ['PIPELINING', 'SIZE 10000', '8BITMIME', 'SMTPUTF8', 'ENHANCEDSTATUSCODES', 'XFORWARD ADDR HELO']
  const said = lines.map((line) => line.slice(4))
  assert.deepEqual(said, ['mx.example', ...more])
})

test('each accepted recipient has a reply of its own, in their order (RFC 2033, section 4.2)', async () => {
  await using client = await greeted()
  const replies = await deliver(client, 'ann@peer.example', ['bob', 'nobody', 'blocking', 'cy', 'bob'])
  assert.deepEqual(replies, ['250 2.6.0', '550 5.7.1', '250 2.6.0', '250 2.6.0'])
})

test('what is refused or out of order is said to each', async () => {
  await using client = await greeted()
  assert.deepEqual(await deliver(client, 'broken@peer.example', ['bob', 'cy']), ['451 4.3.0', '451 4.3.0'])
  const tooLarge = 'x'.repeat(76).concat('\r\n').repeat(200)
  assert.deepEqual(await deliver(client, 'ann@peer.example', ['bob', 'cy'], tooLarge), ['552 5.3.4', '552 5.3.4'])
  assert.deepEqual(await deliver(client, 'ann@peer.example', ['bob']), ['250 2.6.0'])
})

test('XFORWARD gives the origin of one message only', async () => {
  await using client = await greeted()
  const originOf = async (...forward: string[]) => {
    for (const line of forward) assert.equal((await client.say(line)).code, 250, line)
    await deliver(client, 'ann@peer.example', ['bob'])
    return taken.at(-1)?.origin
  }
  const named = await originOf('XFORWARD ADDR=192.0.2.7 HELO=peer.example')
  assert.deepEqual(named, { address: '192.0.2.7', helo: 'peer.example' })
  assert.equal(await originOf(), undefined)
  const nameless = await originOf('XFORWARD HELO=[UNAVAILABLE]', 'XFORWARD ADDR=IPV6:2001:db8::7')
  assert.deepEqual(nameless, { address: '2001:db8::7', helo: '' })
  assert.equal(await originOf('XFORWARD ADDR=[UNAVAILABLE] HELO=peer+2Eexample'), undefined)
  const itself = { address: '127.0.0.1', helo: 'relay.example', protocol: 'LMTP', tls: undefined }
  assert.deepEqual(taken.at(-1)?.client, itself)
})

test('XFORWARD has its place before a message', async () => {
  await using client = await SmtpClient.open(lmtp.port)
  await client.reply()
  assert.equal((await client.say('XFORWARD ADDR=192.0.2.7')).codes, '503 5.5.1')
  await client.say('LHLO relay.example')
  await client.say('MAIL FROM:<ann@peer.example>')
  assert.equal((await client.say('XFORWARD ADDR=192.0.2.7')).codes, '503 5.5.1')
})
