import assert from 'node:assert/strict'
import { after, beforeEach, mock, test } from 'node:test'
import { sql } from 'kysely'
import { runCommand } from '#/app/cli/run.ts'
import { accountByLogin } from '#/smtp/submission/accounts.ts'
import { failing } from '#test/world/database/failing.ts'
import { hand, subjectsIn } from '#test/world/letters/letter.ts'
import { configure, forwardsTo } from '#test/world/mail/forwarding.ts'
import { tablesWith } from '#test/world/observe/tables-with.ts'
import { operatorOn, printed } from '#test/world/operator.ts'
import { furnish } from '#test/world/organization/furnished.ts'
import { sendingWorld } from '#test/world/sending-world.ts'
import type { World } from '#test/world/world.ts'

const minute = 60_000
/** Two processes on one database: one must notice what the other changes. */
const { world, sink, ...first } = await sendingWorld({ others: 1 })
const other = first.others[0] ?? assert.fail()
const { database } = world
let { organization, ada } = first
/** Caches go by the clock of the machine, or by that of the process. */
let passed = 0
const now = performance.now.bind(performance)
mock.method(performance, 'now', () => now() + passed)
after(() => mock.restoreAll())
beforeEach(async () => {
  sink.taken.length = 0
  sink.act = () => undefined
  organization = await world.organization()
  ada = (await organization.mailbox('ada')).address
})

const operator = () => operatorOn({ database })
const org = (verb: string, ...more: string[]) => printed(operator(), 'org', verb, organization.name, ...more)

/** A process's answer to the organization's key, once its cache has expired. */
function answered(at: World) {
  passed += 5_000
  at.clock.advance(5_000)
  return at.client.request('GET', '/v1/usage', { key: organization.key })
}

/** Of what the organization has sent; others have messages in the queue too. */
function subjectsTaken(): string[] {
  return sink.taken
    .filter(({ from }) => from.endsWith(organization.domain))
    .map(({ bytes }) => /^Subject: (.*)\r$/m.exec(`${bytes}`)?.[1] ?? '')
}

test('no mail comes in for a suspended organization, on any process; resumed it comes again', async () => {
  const { organization: neighbour, address: bob } = await world.mailbox('bob')
  const message = 'Subject: Hello\r\nFrom: peer@far.example\r\n\r\nHello\r\n'
  await org('suspend')
  for (const at of [world, other]) {
    await assert.rejects(at.send({ from: 'peer@far.example', to: ada, text: 'Hello' }), /550 5\.2\.1/)
    assert.equal(await hand(at, 'peer@far.example', [bob], message), '250 2.6.0')
  }
  // Mail of its own installation finds it so too.
  const { status } = await neighbour.request('POST', '/v1/send', { from: bob, to: [ada], subject: 'Inside', text: 'x' })
  assert.equal(status, 202)
  await world.outbound.processAll()
  assert.equal((await subjectsIn(neighbour, bob)).length, 3, 'two letters, and a notice of what did not arrive')
  await org('resume')
  assert.equal((await answered(world)).status, 200)
  assert.deepEqual(await subjectsIn(organization, ada), [])
  await other.send({ from: 'peer@far.example', to: ada, subject: 'Again', text: 'Hello' })
  assert.deepEqual(await subjectsIn(organization, ada), ['Again'])
})

test('what waits to leave, is scheduled or was forwarded stays, and goes once the organization is resumed', async () => {
  sink.act = (step) => (step === 'rcpt' ? '451 4.7.1 Later' : undefined)
  const write = { from: ada, to: ['bob@there.example'], text: 'x' }
  assert.equal((await organization.request('POST', '/v1/send', { ...write, subject: 'Waits' })).status, 202)
  await world.outbound.processAll()
  await configure(organization, ada, forwardsTo('ada@away.example'))
  await world.send({ from: 'peer@far.example', to: ada, subject: 'Forwarded', text: 'x' })
  const send_at = new Date(world.clock.now() + 10 * minute).toISOString()
  const scheduled = await organization.request('POST', '/v1/scheduled', { ...write, subject: 'Scheduled', send_at })
  assert.equal(scheduled.status, 201)
  await world.outbound.processAll()
  sink.act = () => undefined
  sink.taken.length = 0

  await org('suspend')
  for (const at of [world, other]) {
    await at.advance(60 * minute)
    await at.rounds.processAll()
    await at.outbound.processAll()
    await at.rounds.processAll()
  }
  assert.deepEqual(subjectsTaken(), [])
  const { rows } = await sql`
    select message.state, attempts from outbound_messages message
    join outbound_recipients recipient on recipient.message_id = message.id
    where message.organization_id = ${organization.id} and message.kind = 'scheduled'`.execute(database.db)
  assert.deepEqual(rows[0], { state: 'scheduled', attempts: 0 })

  await org('resume')
  await world.rounds.processAll()
  await world.outbound.processAll()
  assert.deepEqual(subjectsTaken().sort(), ['Forwarded', 'Scheduled', 'Waits'])
})

test('no mail program of a suspended organization gets in, and a domain stays suspended that was so before', async () => {
  const mayLogIn = async () => (await accountByLogin(world.db, ada))?.suspended === false
  assert.equal(await mayLogIn(), true)
  await org('suspend')
  assert.equal(await mayLogIn(), false)
  const domain = (verb: string) => runCommand(['domain', verb, organization.domain], operator())
  assert.match((await domain('resume')).stdout, /is suspended with its organization/)
  assert.equal(await mayLogIn(), false)
  await org('resume')
  assert.equal(await mayLogIn(), true)
  assert.match((await domain('suspend')).stdout, /is now suspended/)
  await org('suspend')
  await org('resume')
  assert.equal(await mayLogIn(), false)
  assert.match((await domain('resume')).stdout, /is now not suspended/)
  assert.equal(await mayLogIn(), true)
})

test('suspended twice is said, and the list shows it', async () => {
  const said = async (verb: string) => (await runCommand(['org', verb, organization.name], operator())).stdout
  assert.match(await said('suspend'), /" is now suspended\.\n$/)
  const since = (await org('suspend')).suspended_at
  assert.match(await said('suspend'), /" was already suspended\.\n$/)
  assert.equal((await org('suspend')).suspended_at, since)
  const { stdout } = await runCommand(['org', 'list'], operator())
  assert.match(stdout, new RegExp(`${organization.name} +team +suspended`))
  assert.match(await said('resume'), /" is now not suspended\.\n$/)
  assert.match(await said('resume'), /" was already not suspended\.\n$/)
})

test('an organization is deleted with all that it has, once its name is given twice', async () => {
  const furnished = await furnish(world)
  organization = furnished.organization
  const { address } = furnished
  sink.act = (step) => (step === 'rcpt' ? '451 4.7.1 Later' : undefined)
  const write = { from: address, to: ['bob@there.example'], subject: 'Waits', text: 'x' }
  assert.equal((await organization.request('POST', '/v1/send', write)).status, 202)
  await world.outbound.processAll()
  for (let count = 0; count < 3; count++)
    await world.send({ from: 'peer@far.example', to: address, subject: `Letter ${count}`, text: 'Hello' })

  const asked = (...more: string[]) => runCommand(['org', 'delete', organization.name, ...more], operator())
  const unsure = await asked()
  assert.equal(unsure.exitCode, 1)
  assert.match(
    unsure.stderr,
    /This deletes ".*" for good: \d domains?, \d mailbox(es)? with all mail, \d messages? to be sent/,
  )
  assert.match((await asked('--confirm', 'tryout')).stderr, /No organization named|This deletes/)
  assert.deepEqual((await org('list').catch(() => ({ data: [] }))).data, [])
  assert.equal((await organization.request('GET', '/v1/usage')).status, 200, 'nothing has changed')

  // Broken off, it goes on.
  const remove = () => runCommand(['org', 'delete', organization.name, '--confirm', organization.name], operator())
  await using breaking = await failing(world.db, 'delete', 'mail_messages')
  const broken = await remove()
  await breaking[Symbol.asyncDispose]()
  assert.match(broken.stderr, /not today/)
  await assert.rejects(world.send({ from: 'peer@far.example', to: address, text: 'Hello' }), /550 5\.2\.1/)

  const progressLines: string[] = []
  const { rows: boxes } = await sql<{ id: string }>`
    select id from mailboxes where organization_id = ${organization.id}`.execute(database.db)
  const done = await runCommand(
    ['org', 'delete', organization.name, '--confirm', organization.name.toUpperCase(), '--json'],
    operator(),
    (progress) => progressLines.push(progress),
  )
  assert.equal(done.exitCode, 0, done.stderr)
  assert.equal(JSON.parse(done.stdout).mailboxes, boxes.length)
  assert.ok(JSON.parse(done.stdout).messages >= 3)
  for (const id of [organization.id, ...boxes.map((box) => box.id)])
    assert.deepEqual(
      (await tablesWith(database.db, id)).filter((table) => table !== 'arrivals'),
      [],
    )
  for (const text of [organization.domain, organization.name]) assert.deepEqual(await tablesWith(database.db, text), [])
  assert.equal((await answered(other)).status, 401)
})
