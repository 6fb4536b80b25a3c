import assert from 'node:assert/strict'
import { test } from 'node:test'
import { each } from '#test/world/each.ts'
import { senderBehind } from '#test/world/letters/bounce-address.ts'
import { hand, letter, messagesIn, newestIn } from '#test/world/letters/letter.ts'
import { deliveryReport } from '#test/world/letters/report.ts'
import { sendingWorld } from '#test/world/sending-world.ts'
import { logged } from './logged.ts'

const { world, sentMail } = await sendingWorld()

/** A message that the next server has accepted, and the bounce address that it left with. */
async function accepted(to: readonly string[]) {
  const { organization, address } = await world.mailbox('ada')
  const one = { from: address, to, subject: 'The plan', text: 'Hello' }
  const body = await organization.bodyOf(202, 'POST', '/v1/send', one)
  const [taken] = await sentMail()
  assert.equal(senderBehind(taken?.from), address)
  const bounce = taken?.from ?? ''
  const states = async () => {
    const { recipients } = (await organization.request('GET', `/v1/sent/${body.id}`)).body
    return recipients.map((one: { address: string; state: string }) => `${one.address} ${one.state}`).sort()
  }
  const events = async () => {
    const data = await logged(organization, 'message.bounced,message.complained')
    return data.map(({ type, sending, mailbox }: { type: string; sending: { id: string }; mailbox: string }) => {
      assert.deepEqual([sending.id, mailbox], [body.id, address])
      return type
    })
  }
  const inbox = async () => each(await messagesIn(organization, address), 'subject')
  return { organization, address, id: body.id as string, bounce, states, events, inbox }
}

const about = (recipient: string, action = 'failed') => deliveryReport(action).replaceAll('ada@away.example', recipient)

function complaint(named: string, type = 'abuse'): string {
  return letter(
    {
      From: 'fbl@isp.example',
      'MIME-Version': '1.0',
      'Content-Type': 'multipart/report; report-type=feedback-report; boundary="=_b"',
    },
    [
      '--=_b\r\nContent-Type: text/plain\r\n\r\nA complaint.\r\n',
      `--=_b\r\nContent-Type: message/feedback-report\r\n\r\nFeedback-Type: ${type}\r\nVersion: 1\r\n${named}\r\n`,
      '--=_b\r\nContent-Type: text/rfc822-headers\r\n\r\nSubject: The plan\r\n--=_b--\r\n',
    ].join(''),
  )
}

test('a message that was accepted and comes back has bounced, and the report is in the inbox', async () => {
  const { organization, id, bounce, states, events, inbox } = await accepted(['bob@there.example'])
  assert.deepEqual(await states(), ['bob@there.example delivered'])
  assert.equal(await hand(world, '', bounce, about('bob@there.example')), '250 2.6.0')
  assert.deepEqual([await states(), await events()], [['bob@there.example bounced'], ['message.bounced']])
  assert.deepEqual(await inbox(), ['Undelivered'])
  const [recipient] = (await organization.request('GET', `/v1/sent/${id}`)).body.recipients
  assert.deepEqual(
    [recipient.code, recipient.server, recipient.reason],
    ['5.1.1', 'mx.away.example', 'It was accepted, and returned later'],
  )
  assert.equal(await hand(world, '', bounce, about('bob@there.example')), '250 2.6.0')
  assert.deepEqual([await states(), await events()], [['bob@there.example bounced'], ['message.bounced']])
})

test('a notice without an author’s address is in the inbox where it reports on what was sent, and else in junk', async () => {
  const { organization, address, bounce, states, inbox } = await accepted(['bob@there.example'])
  const notice = letter(
    { From: 'MAILER-DAEMON <>', Subject: 'Mail delivery failed' },
    'There was an error delivering your mail to <bob@there.example>.\r\n\r\n550 5.1.1 nobody',
  )
  assert.equal(await hand(world, '', address, notice), '250 2.6.0')
  assert.deepEqual([await states(), await inbox()], [['bob@there.example delivered'], []])
  assert.equal(await hand(world, '', bounce, notice.replace('delivery failed', 'delivery really failed')), '250 2.6.0')
  assert.deepEqual([await states(), await inbox()], [['bob@there.example bounced'], ['Mail delivery really failed']])
  assert.deepEqual(each(await messagesIn(organization, address, 'junk'), 'subject'), ['Mail delivery failed'])
})

test('a report may write the bounce address in any case, call the only recipient as it likes, and name no status', async () => {
  const { organization, id, bounce, states } = await accepted(['bob@there.example'])
  const report = about('robert@inside.example').replace(/Status: .*\r\n/, '')
  assert.equal(await hand(world, '', bounce.toUpperCase(), report), '250 2.6.0')
  assert.deepEqual(await states(), ['bob@there.example bounced'])
  const [recipient] = (await organization.request('GET', `/v1/sent/${id}`)).body.recipients
  assert.match(recipient.code, /^5\.\d+\.\d+$/)
})

test('of several recipients those have bounced whom the report names', async () => {
  const { bounce, states, events } = await accepted(['bob@there.example', 'cy@there.example'])
  await hand(world, '', bounce, about('robert@inside.example'))
  assert.deepEqual(
    [await states(), await events()],
    [['bob@there.example delivered', 'cy@there.example delivered'], []],
  )
  await hand(world, '', bounce, about('CY@there.example'))
  assert.deepEqual(await states(), ['bob@there.example delivered', 'cy@there.example bounced'])
})

test('what comes to a bounce address and reports no failure is mail like any', async () => {
  const { bounce, states, events, inbox } = await accepted(['bob@there.example'])
  for (const [from, message] of [
    ['', about('bob@there.example', 'delayed')],
    ['', about('bob@there.example', 'delivered')],
    ['', letter({ Subject: 'I am away', 'Auto-Submitted': 'auto-replied' })],
    ['bob@there.example', letter({ Subject: 'An answer' })],
  ] as const)
    assert.equal(await hand(world, from, bounce, message), '250 2.6.0')
  assert.deepEqual([await states(), await events()], [['bob@there.example delivered'], []])
  assert.equal((await inbox()).length, 4)
})

test('a forged report changes nothing: to the mailbox itself, a guessed address, or that of another', async () => {
  const { organization, address, bounce, states, events, inbox } = await accepted(['bob@there.example'])
  const other = await accepted(['bob@there.example'])
  const [local, domain] = bounce.split('@') as [string, string]
  const changed = (at: number) =>
    `${local.slice(0, at)}${local.at(at) === 'a' ? 'b' : 'a'}${local.slice(at + 1)}@${domain}`
  const elsewhere = (await organization.mailbox('grace')).address.split('@')[0]
  for (const forged of [
    address,
    changed(local.length - 1),
    changed(local.length - 14),
    changed(local.indexOf('+') + 2),
    `ada+r${'a'.repeat(26)}@${domain}`,
    `${local.replace(/^ada/, elsewhere ?? '')}@${domain}`,
    `${local}@${other.address.split('@')[1]}`,
    `${other.bounce.split('@')[0]}@${domain}`,
  ])
    assert.equal(await hand(world, '', forged, about('bob@there.example')), '250 2.6.0', forged)
  for (const one of [{ states, events }, other])
    assert.deepEqual([await one.states(), await one.events()], [['bob@there.example delivered'], []])
  assert.ok((await inbox()).length > 4, 'it is mail like any')
})

test('a complaint that names the bounce address is one, wherever in the organization it comes to', async () => {
  const { organization, address, bounce, states, events } = await accepted(['bob@there.example'])
  const other = await accepted(['eve@there.example'])
  for (const harmless of [
    complaint(`Original-Mail-From: <${bounce}>`, 'not-spam'),
    complaint(`Original-Mail-From: <${address}>`),
    complaint('Source-IP: 192.0.2.1'),
  ])
    assert.equal(await hand(world, 'fbl@isp.example', `abuse@${organization.domain}`, harmless), '250 2.6.0')
  await hand(world, 'fbl@isp.example', other.address, complaint(`Original-Mail-From: <${bounce}>`))
  assert.deepEqual([await states(), await events()], [['bob@there.example delivered'], []])
  await hand(world, 'fbl@isp.example', `abuse@${organization.domain}`, complaint(`Original-Mail-From: <${bounce}>`))
  assert.deepEqual([await states(), await events()], [['bob@there.example complained'], ['message.complained']])
  await hand(world, '', bounce, about('bob@there.example'))
  assert.deepEqual([await states(), await events()], [['bob@there.example complained'], ['message.complained']])
})

test('a message that comes back to a mailbox that is gone is refused, and changes nothing', async () => {
  const { organization, bounce, states } = await accepted(['bob@there.example'])
  await world.db.deleteFrom('mailboxes').where('organization_id', '=', organization.id).execute()
  assert.equal(await hand(world, '', bounce, about('bob@there.example')), '550 5.1.1')
  assert.deepEqual(await states(), ['bob@there.example delivered'])
})

test('between mailboxes here the envelope sender is the address itself', async () => {
  const organization = await world.organization()
  const [ada, grace] = [await organization.mailbox('ada'), await organization.mailbox('grace')]
  const one = { from: ada.address, to: grace.address, text: 'Hello' }
  assert.equal((await organization.request('POST', '/v1/send', one)).status, 202)
  await world.outbound.processAll()
  assert.match(await newestIn(organization, grace.address), new RegExp(`^Return-Path: <${ada.address}>`))
})
