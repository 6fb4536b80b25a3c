import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SmarthostRelay } from '#/out/relay/smarthost.ts'
import { senderBehind } from '#test/world/letters/bounce-address.ts'
import { subjectsIn } from '#test/world/letters/letter.ts'
import { certificateFor } from '#test/world/sockets/certificate.ts'
import { freePort } from '#test/world/sockets/free-port.ts'
import { Sink } from '#test/world/sockets/sink.ts'
import { World } from '#test/world/world.ts'
import { Postfix } from './postfix.ts'

test('what Postfix has accepted and returns has bounced, with what the last server said', async () => {
  const refusing = (step: string, { line }: { line: string }) => {
    if (step !== 'rcpt') return undefined
    if (line.includes('bob@')) return '550 5.1.1 Nobody is here'
    return line.includes('cy@') ? '552 5.2.2 The mailbox is full' : undefined
  }
  await using last = await Sink.start({ act: refusing })
  const smtpPort = await freePort()
  const transports = [`there.example = smtp:[127.0.0.1]:${last.port}`, `* = smtp:[127.0.0.1]:${smtpPort}`]
  const settings = {
    mynetworks: '127.0.0.0/8',
    transport_maps: `inline:{ ${transports.map((one) => `{ ${one} }`).join(' ')} }`,
    smtpd_tls_security_level: 'none',
  }
  await using postfix = await Postfix.start(settings, certificateFor('mx.dest.test'))
  const peer = { host: '127.0.0.1', address: '127.0.0.1', port: postfix.port, tls: 'never' } as const
  await using relay = new SmarthostRelay({ peer, name: 'mx.mailroom.test' })
  await using world = await World.start({ relay, env: { MAILROOM_SMTP_PORT: String(smtpPort) } })
  const { organization, address } = await world.mailbox('ada')
  const to = ['ann@there.example', 'bob@there.example', 'cy@there.example']
  const send = { from: address, to, subject: 'The plan', text: 'Hello' }
  const { body } = await organization.request('POST', '/v1/send', send)
  await world.outbound.processAll()
  const recipients = async () => {
    const { body: sent } = await organization.request('GET', `/v1/sent/${body.id}`)
    return sent.recipients as { address: string; state: string; code: string; reply: string; server: string }[]
  }
  await postfix.until(async () => (await recipients()).filter(({ state }) => state === 'bounced').length === 2)
  const [taken] = last.taken
  assert.deepEqual([senderBehind(taken?.from), taken?.to], [address, ['ann@there.example']])
  const found = Object.fromEntries((await recipients()).map((one) => [one.address, one]))
  assert.equal(found['ann@there.example']?.state, 'delivered')
  const [bob, cy] = [found['bob@there.example'], found['cy@there.example']]
  assert.deepEqual([bob?.code, bob?.reply], ['5.1.1', '550 5.1.1 Nobody is here'])
  assert.deepEqual([cy?.code, cy?.reply], ['5.2.2', '552 5.2.2 The mailbox is full'])
  const reports = await subjectsIn(organization, address)
  assert.ok(reports.length >= 1 && reports.every((one: string) => one === 'Undelivered Mail Returned to Sender'))
})
