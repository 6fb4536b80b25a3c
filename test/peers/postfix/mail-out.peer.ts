import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Limits, patience } from '#/adapters/relay/limits.ts'
import { SmarthostRelay } from '#/adapters/relay/smarthost.ts'
import type { Relay } from '#/ports/relay.ts'
import { subjectsIn } from '#test/mail/letter.ts'
import { certificateFor } from '#test/sockets/certificate.ts'
import { freePort } from '#test/sockets/free-port.ts'
import { World } from '#test/world/world.ts'
import { Postfix } from './postfix.ts'
import { startSink } from './smtp-sink.ts'

const minute = 60_000

const relayTo = (port: number, limits = patience) =>
  new SmarthostRelay({
    peer: { host: '127.0.0.1', address: '127.0.0.1', port, tls: 'never' },
    name: 'mx.mailroom.test',
    limits,
  })

/** Waiting recipients, with the server's replies. */
const waiting = (world: World) =>
  world.db.selectFrom('outbound_recipients').select(['recipient', 'reply']).where('state', '=', 'waiting').execute()

const messageId = (mail: Buffer | undefined) => /^Message-ID: .*$/im.exec(mail?.toString() ?? '')?.[0]

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
  await using relay = relayTo(postfix.port)
  await using world = await World.start({ relay })
  const { organization, address } = await world.mailbox('ada')
  const to = ['bob@dest.test', 'later@dest.test', 'nobody@dest.test']
  const send = { from: address, to, subject: 'To three', text: '.\r\n..\r\nHello' }
  const sent = await organization.request('POST', '/v1/send', send)
  assert.equal(sent.status, 202)
  await world.outbound.processAll()
  const [stored] = await postfix.mailOf('bob', 1)
  assert.equal(messageId(stored), `Message-ID: ${sent.body.message_id}`)
  assert.ok(stored?.includes('\n.\n..\nHello\n'))
  const [left, ...others] = await waiting(world)
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

describe("a server that fails, Postfix's smtp-sink", () => {
  for (const [what, switches, reason, inDoubt, limits] of [
    ['defers at RCPT', ['-r', 'RCPT'], /said: 450 /, false],
    ['takes the message and hangs up without a word', ['-q', '.'], /closed the connection/, true],
    ['stalls from the start', ['-w', '30'], /did not answer/, false, { data: 500, envelope: 500 }],
  ] as const satisfies [string, string[], RegExp, boolean, Partial<Limits>?][])
    test(`${what}: sent mail is deferred and delivered once the fault ends; scheduled mail fails after three attempts and can be retried`, async () => {
      const port = await freePort()
      // The one that is well is not waited for as briefly as the one that stalls.
      await using impatient = relayTo(port, { ...patience, ...limits })
      await using patiently = relayTo(port)
      let isWell = false
      const relay: Relay = {
        routeOf: (recipient) => patiently.routeOf(recipient),
        deliver: (...given) => (isWell ? patiently : impatient).deliver(...given),
        [Symbol.asyncDispose]: async () => {},
      }
      await using world = await World.start({ relay })
      const { organization, address } = await world.mailbox('ada')
      const message = { from: address, to: 'bob@dest.test', text: 'Hello' }
      const sendAt = new Date(world.clock.now()).toISOString()
      const scheduled = async () => (await organization.request('GET', '/v1/scheduled')).body.data
      {
        await using _failing = await startSink(switches, port)
        assert.equal((await organization.request('POST', '/v1/send', { ...message, subject: 'Sent' })).status, 202)
        const later = { ...message, subject: 'Scheduled', send_at: sendAt }
        assert.equal((await organization.request('POST', '/v1/scheduled', later)).status, 201)
        for (let round = 1; round <= 3; round++) {
          await world.rounds.processAll()
          await world.advance(8 * minute)
        }
        const [{ status, last_error }] = await scheduled()
        assert.equal(status, 'failed')
        assert.match(last_error, reason)
        assert.equal(/may have arrived/.test(last_error), inDoubt)
        // What may have arrived has its copy, which is marked.
        const stored = inDoubt ? ['Scheduled', 'Sent'] : ['Sent']
        assert.deepEqual((await subjectsIn(organization, address, 'sent')).toSorted(), stored)
        assert.equal((await waiting(world)).length, 1)
      }
      await using _well = await startSink([], port)
      isWell = true
      const [{ id }] = await scheduled()
      assert.equal((await organization.request('POST', `/v1/scheduled/${id}/retry`)).status, 200)
      await world.advance(60 * minute)
      await world.rounds.processAll()
      assert.deepEqual([await scheduled(), await waiting(world)], [[], []])
      const stored = inDoubt ? ['Scheduled', 'Scheduled', 'Sent'] : ['Scheduled', 'Sent']
      assert.deepEqual((await subjectsIn(organization, address, 'sent')).toSorted(), stored)
      assert.deepEqual(await subjectsIn(organization, address, 'inbox'), [])
    })
})
