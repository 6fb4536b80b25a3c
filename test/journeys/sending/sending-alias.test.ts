import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import { senderBehind } from '#test/mail/bounce-address.ts'
import { Sink } from '#test/sockets/sink.ts'
import { signingDomain } from '#test/world/organization/signing-domain.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { insertVerifiedDomain } from '#test/world/organization/verified-domain.ts'
import { World } from '#test/world/world.ts'

let sink: Sink
let world: World
let organization: TestOrganization
let ada: { id: string; address: string }
let alias: string
before(async () => {
  sink = await Sink.start()
  world = await World.start({ sink })
  organization = await world.organization()
  ada = await organization.mailbox('ada', { name: 'Ada Byron' })
  const domain = `other-${organization.domain}`
  await insertVerifiedDomain(world.db, organization.id, domain)
  await signingDomain(world, organization)
  await signingDomain(world, Object.assign(Object.create(organization), { domain }))
  alias = `sales@${domain}`
  await give(alias)
})
after(async () => {
  await world[Symbol.asyncDispose]()
  await sink[Symbol.asyncDispose]()
})

const give = (address: string, { id }: { id: string } = ada, of = organization) =>
  world.db.insertInto('addresses').values({ address, organization_id: of.id, mailbox_id: id, alias: true }).execute()
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
  const { body } = await organization.request('GET', `/v1/messages?mailbox=${ada.address}&folder=${folder}`)
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

test('the alias of another organization is not found, and one on a domain that is suspended cannot send', async () => {
  const other = await world.organization()
  const box = await other.mailbox('ada')
  await give(`sales@${other.domain}`, box, other)
  assert.equal((await send({ from: `sales@${other.domain}` })).status, 404)
  const domain = alias.split('@')[1] ?? ''
  const suspended = (at: Date | null) =>
    world.db.updateTable('domains').set({ suspended_at: at }).where('domain', '=', domain).execute()
  await suspended(new Date())
  const { status, body } = await send({ from: alias })
  assert.deepEqual([status, body.error.field, body.error.message], [400, 'from', `${domain} is suspended`])
  assert.equal((await send({ from: ada.address })).status, 202)
  await suspended(null)
})
