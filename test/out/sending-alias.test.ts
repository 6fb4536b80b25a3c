import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import { senderBehind } from '#test/world/letters/bounce-address.ts'
import { signingDomain } from '#test/world/organization/signing-domain.ts'
import { insertVerifiedDomain } from '#test/world/organization/verified-domain.ts'
import { sendingWorld } from '#test/world/sending-world.ts'

const { world, sink, organization, ada, adaId } = await sendingWorld({ name: 'Ada Byron' })
const domain = `other-${organization.domain}`
await insertVerifiedDomain(world.db, organization.id, domain)
await signingDomain(world, organization)
await signingDomain(world, Object.assign(Object.create(organization), { domain }))
const alias = `sales@${domain}`
await give(alias)

function give(address: string, id = adaId, of = organization) {
  return world.db
    .insertInto('addresses')
    .values({ address, organization_id: of.id, mailbox_id: id, alias: true })
    .execute()
}
const message = { to: 'bob@there.example', subject: 'As sales', text: 'Hello' }
const send = (body: object) => organization.request('POST', '/v1/send', { ...message, ...body })
const schedule = async (body: object) => {
  const send_at = new Date(world.clock.now() + 60_000).toISOString()
  return await organization.request('POST', '/v1/scheduled', { ...message, send_at, ...body })
}
const round = async () => {
  await world.advance(5 * 60_000)
  await world.rounds.processAll()
}

async function assertFromAlias(): Promise<void> {
  const [taken, ...more] = sink.taken.splice(0)
  assert.deepEqual([senderBehind(taken?.from), more], [alias, []])
  const text = taken?.bytes.toString() ?? ''
  assert.match(text, new RegExp(`^From: Ada Byron <${alias}>\r$`, 'm'))
  const { results } = await dkimVerify(taken?.bytes ?? '', {
    resolver: (name: string) => world.dns.txt(name),
    curTime: new Date(world.clock.now()),
  })
  assert.deepEqual(
    results.map(({ signingDomain, status }) => [signingDomain, status.result, status.aligned]),
    Array.from({ length: 2 }, () => [alias.split('@')[1], 'pass', alias.split('@')[1]]),
  )
}

async function subjects(folder: string): Promise<string[]> {
  const { body } = await organization.request('GET', `/v1/messages?mailbox=${ada}&folder=${folder}`)
  return body.data.map(({ subject }: { subject: string }) => subject)
}

test('an alias of the mailbox is From and envelope sender, its domain signs, and the copy is in the mailbox', async () => {
  assert.equal((await send({ from: alias.toUpperCase() })).status, 202)
  await world.outbound.processAll()
  await assertFromAlias()
  assert.deepEqual(await subjects('sent'), ['As sales'])
})

test('what cannot be delivered comes back to the mailbox', async () => {
  sink.act = (step) => (step === 'rcpt' ? '550 5.1.1 Nobody' : undefined)
  assert.equal((await send({ from: alias })).status, 202)
  await world.outbound.processAll()
  sink.act = () => undefined
  assert.deepEqual(await subjects('inbox'), ['Undelivered mail returned to its sender'])
})

test('a scheduled message is from the alias too, and sent late it is signed by its domain', async () => {
  for (const late of [0, 30 * 60_000]) {
    const { status, body } = await schedule({ from: `Ada Byron <${alias}>` })
    assert.equal(status, 201)
    assert.equal((await organization.request('GET', `/v1/scheduled/${body.id}`)).body.from, alias)
    await world.advance(late)
    await round()
    await assertFromAlias()
  }
})

test('one whose alias is removed before it is due is not sent', async () => {
  const passing = `passing@${organization.domain}`
  await give(passing)
  const { body } = await schedule({ from: passing })
  await world.db.deleteFrom('addresses').where('address', '=', passing).execute()
  await round()
  const { last_error } = (await organization.request('GET', `/v1/scheduled/${body.id}`)).body
  assert.deepEqual([last_error, sink.taken], [`The mailbox ${passing} is gone`, []])
  assert.equal((await send({ from: passing })).status, 404)
})
