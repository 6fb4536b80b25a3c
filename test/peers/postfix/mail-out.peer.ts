import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SmarthostRelay } from '#/out/relay/smarthost.ts'
import { subjectsIn } from '#test/world/letters/letter.ts'
import { certificateFor } from '#test/world/sockets/certificate.ts'
import { World } from '#test/world/world.ts'
import { Postfix } from './postfix.ts'

test('of the recipients at Postfix one has the message, one waits for it, and for one the sender gets a notice', async () => {
  const mailboxes = ['bob', 'later'].map((name) => `{ ${name}@dest.test = ${name}/ }`)
  const greylist = 'check_recipient_access inline:{ { later@dest.test = 450 4.2.1 Come again } }'
  const settings = {
    virtual_mailbox_domains: 'dest.test',
    virtual_mailbox_maps: `inline:{ ${mailboxes.join(' ')} }`,
    smtpd_recipient_restrictions: greylist,
    smtpd_tls_security_level: 'none',
  }
  await using postfix = await Postfix.start(settings, certificateFor('mx.dest.test'))
  const peer = { host: '127.0.0.1', address: '127.0.0.1', port: postfix.port, tls: 'never' } as const
  await using relay = new SmarthostRelay({ peer, name: 'mx.mailroom.test' })
  await using world = await World.start({ relay })
  const { organization, address } = await world.mailbox('ada')
  const to = ['bob@dest.test', 'later@dest.test', 'nobody@dest.test']
  const send = { from: address, to, subject: 'To three', text: '.\r\n..\r\nHello' }
  const sent = await organization.request('POST', '/v1/send', send)
  assert.equal(sent.status, 202)
  await world.outbound.processAll()
  const [stored] = await postfix.mailOf('bob', 1)
  assert.ok(stored?.includes(`\nMessage-ID: ${sent.body.message_id}\n`) && stored.includes('\n.\n..\nHello\n'))
  const waiting = world.db
    .selectFrom('outbound_recipients')
    .select(['recipient', 'reply'])
    .where('state', '=', 'waiting')
  const [left, ...others] = await waiting.execute()
  assert.deepEqual([left?.recipient, others], ['later@dest.test', []])
  assert.match(left?.reply ?? '', /^450 4\.2\.1 .*Come again$/)
  const [notice] = (await organization.request('GET', `/v1/messages?mailbox=${address}`)).body.data
  const { text } = (await organization.request('GET', `/v1/messages/${notice.uid}?mailbox=${address}`)).body
  assert.match(text, /nobody@dest\.test[\s\S]*550 5\.1\.1/)
  assert.doesNotMatch(text, /bob@dest\.test/)

  const scheduled = { ...send, subject: 'Scheduled', send_at: new Date(world.clock.now()).toISOString() }
  assert.equal((await organization.request('POST', '/v1/scheduled', scheduled)).status, 201)
  await world.rounds.processAll()
  await postfix.mailOf('bob', 2)
  assert.deepEqual((await organization.request('GET', '/v1/scheduled')).body.data, [])
  assert.deepEqual(await subjectsIn(organization, address, 'sent'), ['Scheduled', 'To three'])
  assert.equal((await subjectsIn(organization, address, 'inbox')).length, 2)
})
