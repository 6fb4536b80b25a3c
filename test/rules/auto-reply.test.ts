// On both databases: three processes answer one sender at once.

import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import fc from 'fast-check'
import { sql } from 'kysely'
import type { SendMailOptions } from 'nodemailer'
import { readContent } from '#/formats/mime/body/content.ts'
import { readMessage } from '#/formats/mime/read-message.ts'
import { each } from '#test/world/each.ts'
import { letter } from '#test/world/letters/letter.ts'
import { forwardsTo, mailboxThat, configure as set } from '#test/world/mail/forwarding.ts'
import { sendingWorld } from '#test/world/sending-world.ts'
import { SmtpClient } from '#test/world/sockets/smtp-client.ts'
import type { World } from '#test/world/world.ts'

const day = 86_400_000

const { world, others, sink, organization, request, sentMail: answers } = await sendingWorld({ others: 2 })
for (const { dns } of [world, ...others]) dns.set('far.example', { txt: ['v=spf1 ip4:127.0.0.1 -all'] })
afterEach(() => {
  sink.act = () => undefined
  sink.taken.length = 0
})

const configure = (address: string, change: object) => set(organization, address, change)
const away = async (change: object = {}) =>
  (await mailboxThat(organization, { reply_body: 'I am away.\n', reply_enabled: true, ...change })).address

function write(
  to: string,
  { by = world, from = 'bob@far.example', ...more }: { by?: World; from?: string } & Omit<SendMailOptions, 'from'> = {},
) {
  return by.send({ envelope: { from, to }, from, to, subject: 'Lunch?', text: 'Lunch?', ...more })
}

test('a message is answered once, as RFC 3834 asks, and is not counted against the allowance', async () => {
  const ada = await away()
  await write(ada, { from: 'Bob@Far.example', messageId: '<lunch@far.example>', references: '<before@far.example>' })
  const [answer, ...more] = await answers()
  assert.ok(answer)
  assert.deepEqual([answer.from, answer.to, more], ['', ['bob@far.example'], []])
  const { headers, subject, from, to } = readMessage(answer.bytes)
  assert.deepEqual(
    [subject, from, to],
    ['Auto: Lunch?', { name: 'Ada Byron', address: ada }, [{ name: '', address: 'bob@far.example' }]],
  )
  assert.equal(headers.first('auto-submitted'), 'auto-replied')
  assert.equal(headers.first('in-reply-to'), '<lunch@far.example>')
  assert.equal(headers.first('references'), '<before@far.example> <lunch@far.example>')
  assert.equal(readContent(answer.bytes).text?.trim(), 'I am away.')
  assert.equal((await request('GET', '/v1/usage')).body.sending.sent_today, 0)
  await configure(ada, { reply_subject: 'Grüße, ich bin fort' })
  await write(ada, { from: 'cy@far.example' })
  assert.deepEqual(
    each(
      (await answers()).map(({ bytes }) => readMessage(bytes)),
      'subject',
    ),
    ['Grüße, ich bin fort'],
  )
})

test('a sender is answered once in four days, and anew when the auto-reply is switched on again', async () => {
  const ada = await away()
  const answered = async () => {
    await write(ada, { from: 'BOB@far.example' })
    return (await answers()).length
  }
  assert.equal(await answered(), 1)
  await world.advance(4 * day - 1)
  assert.equal(await answered(), 0)
  await world.advance(1)
  assert.equal(await answered(), 1)
  await world.advance(1_000)
  await configure(ada, { reply_enabled: true })
  assert.equal(await answered(), 1)
  assert.equal(await answered(), 0)
  await write(ada, { from: 'cy@far.example' })
  assert.equal((await answers()).length, 1)
})

test('what came before it was switched on, or past its end, is not answered', async () => {
  const until = new Date(world.clock.now() + 60_000).toISOString()
  const { address } = await organization.mailbox('later')
  await configure(address, { reply_body: 'Away', reply_until: until })
  await write(address)
  await configure(address, { reply_enabled: true })
  assert.deepEqual(await answers(), [])
  await world.advance(60_000)
  await write(address)
  assert.deepEqual(await answers(), [])
})

test('an answer that waits when the auto-reply is switched off does not go', async () => {
  const ada = await away()
  sink.act = (step) => (step === 'end of data' ? '451 4.7.1 Later' : undefined)
  await write(ada)
  assert.deepEqual(await answers(), [])
  await configure(ada, { reply_enabled: false })
  sink.act = () => undefined
  await world.advance(10 * 60_000)
  assert.deepEqual(await answers(), [])
  assert.deepEqual(await world.db.selectFrom('outbound_messages').select('id').execute(), [])
})

test('of a hundred messages of one sender at once, to three processes, one is answered', async () => {
  const ada = await away()
  const doors = [world, ...others]
  await Promise.all(
    Array.from({ length: 100 }, (_, n) =>
      write(ada, { by: doors[n % 3] ?? world, from: 'keen@far.example', subject: `No. ${n}` }),
    ),
  )
  const { total } = (await request('GET', `/v1/messages?mailbox=${ada}`)).body
  assert.deepEqual([total, (await answers()).length], [100, 1])
})

test('no answer goes to what must not be answered, or to a sender whom nothing proves', async () => {
  const ada = await away()
  await write(ada, { headers: { 'Auto-Submitted': 'auto-generated' } })
  await write(ada, { from: 'bob@nobody.example' })
  assert.deepEqual(await answers(), [])
})

test('a mailbox answers a hundred messages in a day, and more on the next', async () => {
  for (const { clock } of others) clock.advance(world.clock.now() - clock.now())
  const ada = await away()
  const rows = world.db.selectFrom('forwarding').innerJoin('mailboxes', 'mailboxes.id', 'mailbox_id').select('replied')
  const replied = () => rows.where('mailboxes.address', '=', ada).executeTakeFirstOrThrow()
  await write(ada, { from: 'first@far.example' })
  assert.deepEqual([(await answers()).length, await replied()], [1, { replied: 1 }])
  await sql`update forwarding set replied = 98 where replied_on is not null
    and mailbox_id = (select id from mailboxes where address = ${ada})`.execute(world.db)
  const doors = [world, ...others]
  await Promise.all(
    Array.from({ length: 9 }, (_, n) => write(ada, { by: doors[n % 3] ?? world, from: `more${n}@far.example` })),
  )
  assert.deepEqual([(await answers()).length, await replied()], [2, { replied: 100 }])
  for (const one of doors) await one.advance(day)
  // Who has not been answered for that reason is not held for answered.
  for (let n = 0; n < 9; n++) await write(ada, { from: `more${n}@far.example`, subject: 'Again' })
  assert.deepEqual([(await answers()).length, await replied()], [7, { replied: 7 }])
})

test('a sender whose address changes with each message leaves answers for others', async () => {
  const spf = ['v=spf1 ip4:127.0.0.1 -all']
  for (const name of ['wide.example', 'news.wide.example']) world.dns.set(name, { txt: spf })
  const answered = async (mailbox: string) => {
    await using client = await SmtpClient.greeted(world.smtp.port)
    for (let n = 0; n < 28; n++) {
      const from = `person${n}@${n % 2 === 0 ? 'wide.example' : 'news.wide.example'}`
      assert.equal((await client.send(from, mailbox, letter({ From: from, To: mailbox }))).code, 250)
    }
    const other = 'bob@far.example'
    assert.equal((await client.send(other, mailbox, letter({ From: other, To: mailbox }))).code, 250)
    const to = (await answers()).flatMap((one) => one.to)
    return [to.length, to.includes(other)]
  }
  assert.deepEqual(await answered(await away()), [26, true])
})

test('two that answer each other, and three that forward in a ring, come to rest', async () => {
  const [a, b] = [await away(), await away()]
  const sent = await request('POST', '/v1/send', { from: a, to: b, subject: 'Hello', text: 'Hello' })
  assert.equal(sent.status, 202)
  assert.deepEqual(await answers(), [])
  const [first] = (await request('GET', `/v1/messages?mailbox=${a}`)).body.data
  assert.equal(first.subject, 'Auto: Hello')

  const ring = [await away(), await away(), await away()]
  for (const [at, from] of ring.entries()) await configure(from, forwardsTo(ring[(at + 1) % 3] ?? ''))
  await write(ring[0] ?? '')
  assert.deepEqual(each(await answers(), 'to'), [['bob@far.example']])
  const totals = await Promise.all(
    ring.map(async (box) => (await request('GET', `/v1/messages?mailbox=${box}`)).body.total),
  )
  assert.deepEqual(totals, [1, 1, 1])
})

const pieces = [
  ...': < > " \\ , ; ( ) @ . = %0d%0a \\r\\n -- \u202e 😀 é Bcc: =? ?='.split(' '),
  ...[' ', '  ', '\u00a0', 'x'.repeat(90), 'long '.repeat(40), 'Bcc: eve@there.example'],
  '=?utf-8?Q?=0D=0ABcc:_eve@there.example?=',
]
const hostile = fc.array(fc.constantFrom(...pieces), { maxLength: 8 }).map((parts) => parts.join('').trim())
/** The names of a header's fields, in lower case, sorted. */
function fieldNames(head: string): string[] {
  const fields = head.split(/\r\n(?![ \t])/).filter(Boolean)
  return fields.map((field) => field.slice(0, field.indexOf(':')).toLowerCase()).sort()
}

test('whatever a message says of itself, its automatic answer has the fields that it should have', async () => {
  const settings = { reply_body: 'I am away', reply_enabled: true }
  const { address } = await mailboxThat(organization, settings, 'Ada, "the" Countess')
  const encoded = (text: string) => `=?utf-8?B?${Buffer.from(text).toString('base64')}?=`
  const ends = fc.constantFrom('\r\nBcc: eve@there.example', '\r\n\r\nbody', '\0', '\n', '\r', '\u2028', '\r\n ')
  const subject = fc.tuple(hostile, ends, hostile).map(([one, end, other]) => encoded(one + end + other))
  const id = fc.oneof(
    fc.constantFrom('<a@x>', '\r\n <a@x>', '<a\r\n b@x>', '<a@x> Bcc: eve', '<a>b@x>', '<>', ''),
    fc.constant(`<${encoded('a\r\nBcc: e')}@x>`),
    hostile,
  )
  let count = 0
  await fc.assert(
    fc.asyncProperty(subject, id, fc.array(id, { maxLength: 3 }), async (subject, id, references) => {
      const from = `author${++count}@far.example`
      const known = `From: ${from}\r\nTo: ${address}\r\nSubject: ${subject}\r\n`
      const raw = `${known}Message-ID: ${id}\r\nReferences: ${references.join(' ')}\r\n\r\nHi\r\n`
      await world.send({ envelope: { from, to: address }, raw })
      const [answer, ...others] = await answers()
      assert.ok(answer)
      assert.deepEqual([others, answer.to], [[], [from]])
      const [head = ''] = answer.bytes.toString('latin1').split('\r\n\r\n')
      const names = fieldNames(head)
      const usual = names.filter((name) => name !== 'in-reply-to' && name !== 'references')
      const content = ['content-transfer-encoding', 'content-type', 'date', 'from', 'message-id', 'mime-version']
      assert.deepEqual(usual, ['auto-submitted', ...content, 'subject', 'to', 'x-auto-response-suppress'])
      assert.equal(new Set(names).size, names.length)
      assert.equal(readContent(answer.bytes).text?.trim(), 'I am away')
    }),
    { numRuns: 25 },
  )
})
