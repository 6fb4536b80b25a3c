import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { entriesOf } from '#/base/audit/queries.ts'
import { readContent } from '#/formats/mime/body/content.ts'
import { readMessage } from '#/formats/mime/read-message.ts'
import { untilReadable } from '#test/events/logged.ts'
import { type SignedInMember, signIn } from '#test/world/members/signed-in.ts'
import { ofFile } from '#test/world/of-file.ts'
import { signingDomain } from '#test/world/organization/signing-domain.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { Sink } from '#test/world/sockets/sink.ts'
import { World } from '#test/world/world.ts'

const publicUrl = 'https://mail.example.com'
const lines: string[] = []
const sink = ofFile(await Sink.start())
const log = { write: (line: string) => void lines.push(line) }
const world = await World.ofFile({ sink, log, env: { MAILROOM_PUBLIC_URL: publicUrl } })

async function owner(organization: TestOrganization): Promise<SignedInMember> {
  return await signIn(organization, (await organization.member('boss@people.example', 'owner')).id)
}

/** An organization that can send. */
async function sending(): Promise<TestOrganization> {
  const organization = await world.organization()
  await organization.mailbox('office')
  return organization
}

/** What the sink took for an address, as a mail program shows it. */
async function mailFor(recipient: string) {
  const isFor = (one: (typeof sink.taken)[number]) => one.to.includes(recipient)
  await sink.until(({ taken }) => taken.some(isFor))
  const taken = sink.taken.findLast(isFor)
  assert.ok(taken)
  return { taken, message: readMessage(taken.bytes), text: readContent(taken.bytes).text ?? '' }
}

async function queued({ id }: TestOrganization): Promise<number> {
  const { rows } = await sql`select from outbound_messages where organization_id = ${id}`.execute(world.db)
  return rows.length
}

test('a member who is added gets a link by mail, which signs them in, and which nothing else has', async () => {
  const organization = await sending()
  await signingDomain(world, organization)
  const boss = await owner(organization)
  const email = 'ann@far.example'
  const name = 'Ann "<b>" Ünal, Bcc: eve@evil.example'
  const { body } = await boss.request('POST', '/v1/members', { email, name })
  assert.equal(body.mailed, true)
  const { taken, message, text } = await mailFor(email)
  assert.deepEqual([taken.from, taken.to], ['', [email]])
  const { headers, from, to, subject } = message
  assert.deepEqual(from, { name: organization.name, address: `postmaster@${organization.domain}` })
  assert.deepEqual([to, subject], [[{ name, address: email }], `Sign in to ${organization.name}`])
  assert.deepEqual([headers.first('auto-submitted')?.trim(), headers.count('dkim-signature')], ['auto-generated', 2])
  assert.deepEqual([headers.count('bcc'), headers.count('cc')], [0, 0])
  const [, link = ''] = /^(https:\S+)$/m.exec(text) ?? []
  assert.equal(link, body.link)
  const secret = link.split('#')[1] ?? ''
  assert.equal((await world.client.request('POST', '/v1/session', { body: { link } })).status, 201)
  const trail = JSON.stringify(await entriesOf(world.db, organization.id, {}, 100))
  await untilReadable(world.db)
  const events = JSON.stringify((await organization.request('GET', '/v1/events')).body)
  for (const [what, content] of Object.entries({ trail, events, log: lines.join('') }))
    assert.ok(!content.includes(secret), `the ${what} has no link`)
})

test('a new link is mailed too, to the same address, and the answer is repeated under its Idempotency-Key', async () => {
  const organization = await sending()
  const boss = await owner(organization)
  const { body: member } = await boss.request('POST', '/v1/members', { email: 'bob@far.example' })
  const invite = () =>
    boss.request('POST', `/v1/members/${member.id}/invitation`, undefined, { headers: { 'idempotency-key': 'x' } })
  const [first, again] = [await invite(), await invite()]
  assert.deepEqual([first.body.mailed, again.body], [true, first.body])
  await sink.until(({ taken }) => taken.filter(({ to }) => to.includes('bob@far.example')).length === 2)
  const texts = sink.taken
    .filter(({ to }) => to.includes('bob@far.example'))
    .map(({ bytes }) => readContent(bytes).text)
  assert.equal(texts.filter((text) => text?.includes(first.body.link)).length, 1)
})

const used = `insert into sends (organization_id, day, recipients)
  select id, (now() at time zone 'UTC')::date, sends_per_day from organizations
  join plans on plans.name = organizations.plan where organizations.id = $1`
for (const [what, before] of [
  ['where no mailbox of the organization can send', 'delete from mailboxes where organization_id = $1'],
  ['where its domain is not verified', "update domains set status = 'pending' where organization_id = $1"],
  ['where its domain is suspended', 'update domains set suspended_apart_at = now() where organization_id = $1'],
  ['where the day’s allowance is used up', used],
  ['to a domain of the organization, whose mail keys and other members may read', undefined],
] as const)
  test(`no link is mailed ${what}; the answer says so, and has it`, async () => {
    const organization = await sending()
    const boss = await owner(organization)
    if (before) await world.database.pool.query(before, [organization.id])
    const email = before ? 'cy@far.example' : `Cy+x@${organization.domain.toUpperCase()}`
    const { status, body } = await boss.request('POST', '/v1/members', { email })
    assert.deepEqual([status, body.mailed], [201, false])
    assert.equal(await queued(organization), 0)
    assert.equal((await world.client.request('POST', '/v1/session', { body: { link: body.link } })).status, 201)
  })

test('a refused invitation mails nothing and costs no allowance', async () => {
  const organization = await sending()
  const boss = await owner(organization)
  assert.equal((await boss.request('POST', '/v1/members', { email: 'BOSS@people.example' })).status, 400)
  assert.equal(await queued(organization), 0)
  assert.equal((await organization.request('GET', '/v1/usage')).body.sending.sent_today, 0)
})

test('without a public URL, which a link for somebody else needs, none is mailed', async () => {
  await using plain = await World.start({ database: world.database })
  const organization = await plain.organization()
  await organization.mailbox('office')
  const boss = await owner(organization)
  assert.equal((await boss.request('POST', '/v1/members', { email: 'dee@far.example' })).body.mailed, false)
  assert.equal(await queued(organization), 0)
})
