// On one database: rspamd reads messages as they leave.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ofFile } from '#test/world/of-file.ts'
import { signingDomain } from '#test/world/organization/signing-domain.ts'
import { Sink } from '#test/world/sockets/sink.ts'
import { World } from '#test/world/world.ts'
import { type Scanned, startRspamd } from './rspamd.ts'

const rspamd = ofFile(await startRspamd())
const sink = ofFile(await Sink.start())
const world = await World.ofFile({ sink })
for (const domain of ['strict.example', 'far.example']) world.dns.set(domain, { txt: ['v=spf1 ip4:127.0.0.1 -all'] })
world.dns.set('_dmarc.strict.example', { txt: ['v=DMARC1; p=reject'] })
const organization = await world.organization({ plan: 'self_hosted' })
await signingDomain(world, organization)
const ada = (await organization.mailbox('ada', { name: 'Ada Byron' })).address

/** Mail comes to a forwarding mailbox without TLS in this test; and a text with few letters of ASCII is in base64. */
const noFaults = new Set(['RCVD_NO_TLS_LAST', 'MIME_BASE64_TEXT'])

/** The one message that leaves once the queue is worked off. */
async function leaves(): Promise<Scanned> {
  await world.outbound.processAll()
  const [taken, ...others] = sink.taken.splice(0)
  assert.ok(taken)
  assert.equal(others.length, 0)
  return { from: taken.from, to: taken.to, raw: taken.bytes }
}

const text = 'Dear Bob,\n\nthe minutes of our meeting are ready. Shall we talk about them on Monday?\n\nRegards\nAda\n'
const html = `<html><body><p>Dear Bob,</p><p>the minutes of our meeting are ready. Shall we talk about them on Monday?</p><p>Regards<br>Ada</p></body></html>`
const pdf = Buffer.from('%PDF-1.4\n%\xe2\xe3\xcf\xd3\nminutes', 'latin1').toString('base64')
const base = { to: ['Bob Smith <bob@far.example>'], subject: 'Minutes of our meeting' }

async function sent(message: object): Promise<Scanned> {
  const answer = await organization.request('POST', '/v1/send', { from: ada, ...base, ...message })
  assert.equal(answer.status, 202, JSON.stringify(answer.body))
  return await leaves()
}

async function configured(localPart: string, change: object): Promise<string> {
  const { address } = await organization.mailbox(localPart, { name: 'Cy Young' })
  const { status } = await organization.request('PATCH', '/v1/forwarding', { mailbox: address, ...change })
  assert.equal(status, 200)
  return address
}

/** A letter as a good mail program writes it. */
const letter = (from: string, to: string) =>
  world.send({ from: `Eve Adams <${from}>`, to: `Cy Young <${to}>`, subject: 'Lunch on Monday', text })

async function forwarded(localPart: string, from: string): Promise<Scanned> {
  const address = await configured(localPart, { forward_to: 'cy@away.example', forward_enabled: true })
  await letter(from, address)
  return await leaves()
}

async function answered(): Promise<Scanned> {
  const reply = { reply_body: 'I am away until Monday and shall read your message then.\n', reply_enabled: true }
  await letter('eve@far.example', await configured('away', reply))
  return await leaves()
}

async function noticed(): Promise<Scanned> {
  sink.act = (step) => (step === 'rcpt' ? '550 5.1.1 No such user here' : undefined)
  await organization.request('POST', '/v1/send', { from: ada, ...base, text })
  await world.outbound.processAll()
  sink.act = () => undefined
  const { body } = await organization.request('GET', `/v1/messages?mailbox=${ada}`)
  const { bytes } = await organization.request('GET', `/v1/messages/${body.data[0].uid}/raw?mailbox=${ada}`)
  return { from: '', to: [ada], raw: bytes }
}

for (const [what, made] of [
  ['a message of text', () => sent({ text })],
  ['a message of text and HTML', () => sent({ text, html })],
  [
    'a message in other letters',
    () =>
      sent({
        text: 'Уважаемый Борис,\n\nпротокол нашей встречи готов. Поговорим о нём в понедельник?\n\nАда\n',
        subject: 'Протокол нашей встречи в четверг и всё, что было решено после неё',
        to: ['Борис Кузнецов <bob@far.example>'],
      }),
  ],
  ['a message with a file', () => sent({ text, attachments: [{ filename: 'minutes.pdf', content: pdf }] })],
  ['an automatic answer', answered],
  ['a notice of a failure', noticed],
  ['a forwarded message', () => forwarded('plain', 'eve@far.example')],
  [
    'a forwarded message whose author the next server would take for forged',
    () => forwarded('strict', 'eve@strict.example'),
  ],
] as const)
  test(`rspamd finds no fault with ${what}`, async () => {
    const scores = await rspamd.scores(await made())
    const faults = Object.entries(scores).filter(([symbol, score]) => score > 0 && !noFaults.has(symbol))
    assert.deepEqual(Object.fromEntries(faults), {})
  })

test('rspamd does find faults', async () => {
  const scores = await rspamd.scores({ from: ada, to: [ada], raw: Buffer.from('Subject: x\r\n\r\nHello\r\n') })
  for (const symbol of ['MISSING_DATE', 'MISSING_MID', 'MISSING_FROM']) assert.ok((scores[symbol] ?? 0) > 0, symbol)
})
