import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { hand, letter, messagesIn, newestIn, subjectsIn } from '#test/world/letters/letter.ts'
import { deliveryReport } from '#test/world/letters/report.ts'
import { forwardsTo, mailboxThat } from '#test/world/mail/forwarding.ts'
import { signingDomain } from '#test/world/organization/signing-domain.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { sendingWorld } from '#test/world/sending-world.ts'
import { SmtpClient } from '#test/world/sockets/smtp-client.ts'

const { world, sink, sentMail, ...sending } = await sendingWorld({
  ...{ plan: 'self_hosted', env: { MAILROOM_LMTP_PORT: '0' } },
})
/** Its filter moves what is a bill, whatever DMARC says of it. */
const careless = sending.organization
const other = await world.organization({ plan: 'self_hosted' })
let count = 0
for (const one of [careless, other]) await signingDomain(world, one)
const bills = { name: 'Bills', field: 'subject', op: 'is', value: 'Bill', action: 'move', argument: 'Bills' }
assert.equal((await careless.request('POST', '/v1/filters', bills)).status, 201)
world.dns.set('_dmarc.careful.example', { txt: ['v=DMARC1; p=quarantine'] })
world.dns.set('_dmarc.strict.example', { txt: ['v=DMARC1; p=reject'] })
world.dns.set('strict.example', { txt: ['v=spf1 ip4:127.0.0.1 -all'] })
world.dns.set('_dmarc.watched.example', { txt: ['v=DMARC1; p=none'] })
afterEach(() => {
  sink.act = () => undefined
  sink.taken.length = 0
})

async function mailbox(organization: TestOrganization): Promise<string> {
  return (await organization.mailbox(`box${++count}`)).address
}

const forwarding = async (organization: TestOrganization, to: string) =>
  (await mailboxThat(organization, forwardsTo(to))).address

const forged = (from = 'bill@careful.example') => letter({ From: from, Subject: 'Bill' })
const ours = /^(?:ARC-Seal|DKIM-Signature):/m

test('what DMARC puts into quarantine stays there wherever it is forwarded to, through however many mailboxes', async () => {
  const last = await mailbox(other)
  const second = await forwarding(careless, last)
  const first = await forwarding(careless, second)
  assert.equal(await hand(world, 'x@peer.example', first, forged()), '250 2.6.0')
  await world.outbound.processAll()
  for (const box of [first, second]) assert.deepEqual(await subjectsIn(careless, box, 'Bills'), ['Bill'])
  assert.deepEqual([await subjectsIn(other, last), await subjectsIn(other, last, 'junk')], [[], ['Bill']])
  const copy = await newestIn(other, last, 'junk')
  assert.match(copy, /^Authentication-Results: mx\.mailroom\.test;.*\tdmarc=fail\r\n\t header\.from=careful\.example/ms)
  assert.match(copy, /^From: bill@careful\.example\r$/m)
  assert.doesNotMatch(copy, ours)
})

test('what its author asks to refuse, and LMTP has brought, comes to junk there', async () => {
  const last = await mailbox(other)
  const first = await forwarding(careless, last)
  await using client = await SmtpClient.open(world.lmtp?.port ?? 0)
  await client.reply()
  await client.say('LHLO relay.example')
  await client.say('XFORWARD ADDR=192.0.2.1 HELO=peer.example')
  const { code } = await client.send('x@peer.example', first, forged('ceo@strict.example'))
  assert.equal(code, 250)
  await world.outbound.processAll()
  assert.deepEqual(await subjectsIn(careless, first, 'Bills'), ['Bill'])
  assert.deepEqual([await subjectsIn(other, last), await subjectsIn(other, last, 'junk')], [[], ['Bill']])
})

test('it goes elsewhere as it came, neither signed nor sealed, and that it is refused there pauses nothing', async () => {
  const first = await forwarding(careless, 'ada@away.example')
  assert.equal(await hand(world, 'x@peer.example', first, forged()), '250 2.6.0')
  const [taken] = await sentMail()
  assert.match(String(taken?.bytes), /^From: bill@careful\.example\r$/m)
  assert.doesNotMatch(String(taken?.bytes), ours)
  sink.act = (step) => (step === 'end of data' ? '550 5.7.26 Forged' : undefined)
  for (let n = 0; n < 11; n++) assert.equal(await hand(world, 'x@peer.example', first, forged()), '250 2.6.0')
  await world.outbound.processAll()
  const { forward } = (await careless.request('GET', `/v1/forwarding?mailbox=${first}`)).body
  assert.deepEqual([forward.paused_at, sink.taken], [null, []])
  assert.deepEqual(await world.db.selectFrom('outbound_messages').select('id').execute(), [])
})

test('what passes keeps what was found of it, and goes to the inbox', async () => {
  const last = await mailbox(other)
  const first = await forwarding(careless, last)
  world.dns.set('lax.example', { txt: ['v=spf1 ip4:127.0.0.1 -all'] })
  const message = letter({ From: 'Ann <ann@lax.example>', Subject: 'Lunch?' })
  assert.equal(await hand(world, 'ann@lax.example', first, message), '250 2.6.0')
  await world.outbound.processAll()
  assert.deepEqual(await subjectsIn(other, last), ['Lunch?'])
  const copy = await newestIn(other, last)
  assert.match(copy, /^Authentication-Results: .*;\r\n\tspf=pass\r\n\t smtp\.mailfrom=ann@lax\.example;/m)
  assert.match(copy, /^ARC-Seal: /m)
})

test('what goes on under our own name is our own mail from there on', async () => {
  const last = await mailbox(other)
  const first = await forwarding(careless, last)
  const message = letter({ From: 'ceo@strict.example', Subject: 'Hello' })
  assert.equal(await hand(world, 'ceo@strict.example', first, message), '250 2.6.0')
  await world.outbound.processAll()
  const [copy] = await messagesIn(other, last)
  assert.equal(copy?.subject, 'Hello')
  assert.match(await newestIn(other, last), new RegExp(`^From: .* <${first}>\r$`, 'm'))
})

test('what nothing proves is not sealed, and what one of our own mailboxes sends is', async () => {
  const first = await forwarding(careless, 'ada@away.example')
  assert.equal(await hand(world, 'x@nobody.example', first, letter({ From: 'x@nobody.example' })), '250 2.6.0')
  const sent = { from: await mailbox(careless), to: first, subject: 'Hello', text: 'Hello' }
  assert.equal((await careless.request('POST', '/v1/send', sent)).status, 202)
  await world.outbound.processAll()
  const sealed = sink.taken.map(({ bytes }) => /^ARC-Seal:/m.test(String(bytes)))
  assert.deepEqual(sealed.sort(), [false, true])
})

test('a report that goes back to an author here says what was found of it', async () => {
  const author = await mailbox(other)
  const first = await forwarding(careless, 'ada@away.example')
  const sent = { from: author, to: first, subject: 'Hello', text: 'Hello' }
  assert.equal((await other.request('POST', '/v1/send', sent)).status, 202)
  await world.outbound.processAll()
  const back = sink.taken.splice(0)[0]?.from ?? ''
  assert.match(back, /^SRS0=/)
  const report = deliveryReport('failed', { From: 'mailer-daemon@watched.example' })
  assert.equal(await hand(world, '', back, report), '250 2.6.0')
  await world.outbound.processAll()
  assert.deepEqual(await subjectsIn(other, author), ['Undelivered'])
  assert.match(await newestIn(other, author), /dmarc=fail\r\n\t header\.from=watched\.example/)
})
