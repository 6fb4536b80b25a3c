import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { sql } from 'kysely'
import { hand } from '#test/world/letters/letter.ts'
import { openPgpKey } from '#test/world/letters/openpgp-key.ts'
import { deliveryReport } from '#test/world/letters/report.ts'
import { configure, forwardsTo } from '#test/world/mail/forwarding.ts'
import { privateMailbox, storedIn } from '#test/world/mail/private-mailbox.ts'
import { loggedIn, submittingMailbox } from '#test/world/mail/submission.ts'
import { marked } from '#test/world/observe/marked.ts'
import { mark } from '#test/world/observe/on-disk.ts'
import { PrivateInstallation } from '#test/world/observe/private-installation.ts'
import { onceWritten } from '#test/world/observe/writes.ts'

// Every way of a message into and out of a Private mailbox, each followed by a search of all files.

const service = await PrivateInstallation.start()
after(() => service[Symbol.asyncDispose]())

/** A message to the Private mailbox, with the mark in all of it. */
async function arrive(one: string): Promise<void> {
  const { world, secret } = service
  const reply = await hand(world, `${one}@peer.example`, secret.address, marked(one, secret.address))
  assert.equal(reply, '250 2.6.0')
}

const suspend = (id: string, at: Date | null) =>
  service.world.db.updateTable('mailboxes').set({ suspended_at: at }).where('id', '=', id).execute()

test('the search finds what a Smart mailbox keeps', async () => {
  const [one, { address }] = [mark(), await service.own.mailbox('readable')]
  assert.equal(await hand(service.world, 'ann@peer.example', address, marked(one, address)), '250 2.6.0')
  const forms = new Set((await service.found(one)).map(({ form }) => form))
  for (const form of ['as it is', 'in base64'])
    assert.ok([...forms].join('\n').match(new RegExp(`^${form}`, 'm')), form)
})

test('mail in, and its automatic answer, which waits and then goes', async () => {
  const one = mark()
  service.sink.act = (step, { recipient }) => (step === 'rcpt' ? `451 4.7.1 <${recipient}> has to wait` : undefined)
  await arrive(one)
  assert.match(await service.read(), new RegExp(one))
  assert.ok(service.sink.lines.some((line) => line.includes(`RCPT TO:<${one}@peer.example>`)))
  await service.nowhere(one)
  service.sink.act = () => undefined
  await sql`update outbound_recipients set due_at = ${new Date(service.world.clock.now())}`.execute(service.world.db)
  await service.world.outbound.processAll()
  const [answer] = service.sink.taken.splice(0)
  assert.deepEqual(answer?.to, [`${one}@peer.example`])
  assert.match(answer?.bytes.toString() ?? '', new RegExp(`${one}-1@peer.example`))
  await service.nowhere(one)
  // It is answered once.
  await arrive(one)
  await service.world.outbound.processAll()
  assert.deepEqual([service.sink.taken.length, await service.found(one)], [0, []])
})

test('an automatic answer that is refused for good', async () => {
  const one = mark()
  service.sink.act = (step, { recipient }) => (step === 'rcpt' ? `550 5.1.1 <${recipient}> is nobody` : undefined)
  await arrive(one)
  assert.match(await service.read(), new RegExp(one))
  service.sink.act = () => undefined
  await service.nowhere(one)
})

test('mail that filters move and label', async () => {
  const one = mark()
  await service.own.bodyOf(201, 'POST', '/v1/labels', { name: 'Plans' })
  for (const [action, argument] of [['move', 'Kept'], ['star'], ['read'], ['label', 'plans']] as const) {
    const filter = { name: action, field: 'subject', op: 'contains', value: 'grüße', action, argument }
    assert.equal((await service.own.request('POST', '/v1/filters', filter)).status, 201)
  }
  await arrive(one)
  assert.match(await service.read(service.secret, 'Kept'), new RegExp(one))
  const { rows } = await sql`
    select seen, flagged, keywords from mail_messages join mail_folders folder on folder.id = folder_id
    where folder.name = 'Kept'`.execute(service.world.db)
  assert.deepEqual(rows, [{ seen: true, flagged: true, keywords: ['plans'] }])
  for (const { id } of (await service.own.request('GET', '/v1/filters')).body.data)
    assert.equal((await service.own.request('DELETE', `/v1/filters/${id}`)).status, 200)
  await service.nowhere(one)
})

test('mail that is refused: blocked by its envelope, by its author, for a mailbox that is suspended', async () => {
  const one = mark()
  await service.own.request('POST', '/v1/blocked-senders', { pattern: '@spam.example' })
  const text = marked(one, service.secret.address)
  assert.equal(await hand(service.world, `${one}@spam.example`, service.secret.address, text), '550 5.7.1')
  const byAuthor = marked(one, service.secret.address, { From: `${one} <${one}@spam.example>` })
  assert.equal(await hand(service.world, `${one}@peer.example`, service.secret.address, byAuthor), '550 5.7.1')
  const other = await privateMailbox(service.own, 'other')
  await suspend(other.id, new Date())
  assert.equal(await hand(service.world, `${one}@peer.example`, other.address, text), '550 5.2.1')
  await suspend(other.id, null)
  await service.nowhere(one)
})

test('an attempt that fails: it cannot be encrypted, and comes again later', async () => {
  const one = mark()
  const broken = await privateMailbox(service.own, 'broken')
  const key = (public_key: string) =>
    service.world.db.updateTable('mailboxes').set({ public_key }).where('id', '=', broken.id).execute()
  const stored = service.world.db.selectFrom('mailboxes').select('public_key').where('id', '=', broken.id)
  const { public_key } = await stored.executeTakeFirstOrThrow()
  await key('no key')
  const text = marked(one, broken.address)
  const smart = await service.own.mailbox('smart')
  const both = [smart.address, broken.address]
  assert.equal(await hand(service.world, `${one}@peer.example`, both, text), '451 4.3.0')
  assert.deepEqual(await storedIn(service.own, smart.id), [])
  await service.nowhere(one)
  await key(public_key ?? '')
  assert.equal(await hand(service.world, `${one}@peer.example`, broken.address, text), '250 2.6.0')
  assert.match(await service.read(broken), new RegExp(one))
  await service.nowhere(one)
})

test('a message that is scheduled for it, shown, cancelled or refused; once it has gone, all is in the copy in Sent', async () => {
  const [one, { address }] = [mark(), await service.own.mailbox('scheduling')]
  const schedule = () => {
    const send_at = new Date(service.world.clock.now() + 60_000).toISOString()
    return service.send({ ...service.outgoing(address, one), send_at }, '/v1/scheduled')
  }
  const { id } = await schedule()
  const shown = (await service.own.request('GET', `/v1/scheduled/${id}`)).body
  assert.deepEqual([shown.subject, shown.to], [`${one} and ä`, [`${one} <${service.secret.address}>`]])
  await service.nowhere(one)
  assert.equal((await service.own.request('DELETE', `/v1/scheduled/${id}`)).status, 200)
  await service.nowhere(one)
  const refused = await schedule()
  await suspend(service.secret.id, new Date())
  await service.world.advance(120_000)
  await service.world.rounds.processAll()
  assert.equal((await service.own.request('GET', `/v1/scheduled/${refused.id}`)).body.status, 'failed')
  await service.nowhere(one)
  await suspend(service.secret.id, null)
  assert.equal((await service.own.request('POST', `/v1/scheduled/${refused.id}/retry`)).status, 200)
  await service.world.rounds.processAll()
  assert.match(await service.read(), new RegExp(one))
})

test('a message that is sent to it from here lies in the copy in Sent alone', async () => {
  const [one, { address }] = [mark(), await service.own.mailbox('sending')]
  const copied = mark()
  await service.answering(false)
  await service.send({ ...service.outgoing(address, one), bcc: `${copied}@there.example` })
  assert.match(await service.read(), new RegExp(one))
  service.sink.taken.splice(0)
  // That copy alone names who is in Bcc, in front of all else.
  const octets = (await service.found(one)).filter(({ before }) => /\nReferences: [^\n]*$/.test(before))
  assert.ok(octets.length > 0)
  for (const { file, before } of octets) {
    const copy = before.slice(before.lastIndexOf(`Bcc: ${copied}`))
    assert.deepEqual([file, copy.split('\nFrom: ').length], [file, 2], copy)
  }
  await service.answering(true)
})

test('a message that is forwarded to it', async () => {
  const [one, { address }] = [mark(), await service.own.mailbox(mark())]
  await configure(service.own, address, forwardsTo(service.secret.address))
  assert.equal(await hand(service.world, 'ann@peer.example', address, marked(one, address)), '250 2.6.0')
  assert.match(await service.read(), new RegExp(`Delivered-To: ${address}[^]*${one}`))
  await service.nowhere(`Delivered-To: ${address}`)
})

test('a bounce that goes back to it', async () => {
  const [one, { address }] = [mark(), await service.own.mailbox('passing')]
  await configure(service.own, address, forwardsTo('ada@away.example'))
  // Its owner has written from elsewhere.
  assert.equal(await hand(service.world, service.secret.address, address), '250 2.6.0')
  await service.world.outbound.processAll()
  const [{ from } = { from: '' }] = service.sink.taken.splice(0)
  const header = { From: `${one} <daemon@away.example>`, Subject: one, References: `<${one}@x>` }
  const report = deliveryReport('failed', header)
  assert.equal(await hand(service.world, '', from, report), '250 2.6.0')
  assert.match(await service.read(), new RegExp(one))
  await service.nowhere(one)
})

test('what its owner sends by a mail program, the notice that it was refused, and one that it waits', async () => {
  const [one, { publicKey, privateKey }] = [mark(), await openPgpKey()]
  const writing = await submittingMailbox(service.own, 'writing', { kind: 'private', public_key: publicKey })
  const owner = { ...writing, privateKey }
  service.sink.act = (step, { recipient }) => {
    if (step !== 'rcpt') return undefined
    return recipient.startsWith('refused') ? `550 5.1.1 <${recipient}> is nobody` : `451 4.7.1 <${recipient}> waits`
  }
  await using client = await loggedIn(service.world.submission?.port ?? 0, writing.address)
  const text = marked(one, `${one}@there.example`, { From: `${one} <${writing.address}>` })
  // A name that is not its own, in the envelope and in From, and somebody who is not here.
  const forged = marked(one, 'bob@there.example', { From: `${one}@there.example` })
  assert.equal((await client.send(`${one}@there.example`, 'bob@there.example', text)).code, 553)
  assert.equal((await client.send(writing.address, 'bob@there.example', forged)).code, 553)
  assert.equal((await client.send(writing.address, `${one}@${service.own.domain}`, text)).code, 550)
  await client.say('RSET')
  const { code } = await client.send(writing.address, [`refused-${one}@there.example`, `${one}@there.example`], text)
  assert.equal(code, 250)
  assert.match(await service.read(owner), new RegExp(`refused-${one}@there\\.example`))
  await onceWritten(async () => (await service.read(owner, 'sent')).includes(one))
  await service.nowhere(one)
  await service.world.advance(5 * 3_600_000)
  await service.world.outbound.processAll()
  assert.equal((await storedIn(service.own, writing.id)).length, 2)
  await service.nowhere(one)
  service.sink.act = () => undefined
})
