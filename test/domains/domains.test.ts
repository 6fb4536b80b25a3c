// On both databases: two organizations claim one domain at once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Enrolled } from '#test/world/dns/enrolled.ts'
import { each } from '#test/world/each.ts'
import { hand, subjectsIn } from '#test/world/letters/letter.ts'
import { operatorOn, printed } from '#test/world/operator.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { World } from '#test/world/world.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

const world = await World.ofFile()
const one = await world.organization()

/** Lets time pass, and every domain that came due meanwhile be checked once. */
async function pass(milliseconds: number): Promise<void> {
  world.clock.advance(milliseconds)
  await world.domainChecks.run()
}

/** A command of the operator, at this world's time. */
function operate(...argv: readonly string[]) {
  const operator = operatorOn(world, () => world.clock.now())
  return printed(operator, ...argv)
}

/** Makes every domain due. */
async function dueNow(): Promise<void> {
  const now = { next_check_at: new Date(world.clock.now()) }
  await world.db.updateTable('domains').set(now).where('next_check_at', 'is not', null).execute()
}

async function boxAt(organization: TestOrganization, domain: string): Promise<{ address: string }> {
  const { status, body } = await organization.request('POST', '/v1/mailboxes', { domain, local_part: 'box' })
  if (status !== 201) throw Object.assign(new Error(body.error.message), body.error)
  return body
}

test('a domain gets sealed keys at its first check, is verified record by record, receives, and lapses 72 hours after its MX', async () => {
  const domain = await Enrolled.enrol(one, 'journey.test')
  await pass(minute)
  const { dns, outstanding, status } = await domain.shown()
  const found = dns.map(({ purpose, problem, last_checked_at: at }) => `${purpose} ${problem} ${at !== null}`)
  const missing = ['ownership', 'mx', 'spf', 'dmarc'].map((purpose) => `${purpose} missing true`)
  assert.deepEqual([found, outstanding, status], [[...missing, ...Array(2).fill('dkim null false')], 6, 'pending'])
  const rows = await world.db.selectFrom('dkim_keys').selectAll().where('domain_id', '=', domain.id).execute()
  assert.deepEqual(each(rows, 'algorithm').sort(), ['ed25519', 'rsa'])
  for (const { algorithm, public_key: key, private_key: sealed } of rows) {
    assert.equal(Buffer.from(key, 'base64').length, algorithm === 'rsa' ? 294 : 32)
    assert.ok(!sealed.includes(Buffer.from('300406032b6570', 'hex')) && sealed[0] === 2, 'no PKCS #8 in the open')
  }

  await domain.publish('spf', 'mx')
  await pass(6 * minute)
  const half = await domain.shown()
  assert.partialDeepStrictEqual(half, { outstanding: 4, status: 'pending', ownership_verified_at: null })
  assert.ok(half.receiving_verified_at)
  await domain.publish('ownership')
  await pass(6 * minute)
  assert.partialDeepStrictEqual(await domain.shown(), {
    ...{ outstanding: 3, status: 'verified', ownership_token: null },
    ownership_verified_at: new Date(world.clock.now()).toISOString(),
  })
  const { address } = await boxAt(one, 'journey.test')
  assert.equal(await hand(world, 'ann@peer.example', address), '250 2.6.0')
  await domain.publish()
  await pass(6 * minute)
  const { next_check_at: next, ...all } = await domain.shown()
  assert.ok(all.dns.every(({ satisfied, problem }) => satisfied && problem === null) && all.outstanding === 0)
  assert.ok(Math.abs(Date.parse(next ?? '') - world.clock.now() - day) <= 0.1 * day, 'daily from now on')
  assert.equal((await one.request('GET', `/v1/domains/${domain.id}/zone`)).bytes.toString().match(/ IN /g), null)

  await domain.withdraw('mx')
  await pass(27 * hour)
  for (let hours = 0; hours < 70; hours += 24) {
    assert.equal(await domain.status(), 'verified')
    await pass(23.9 * hour)
    await dueNow()
  }
  assert.equal(await hand(world, 'ann@peer.example', address), '250 2.6.0')
  await pass(2 * hour)
  const lapsed = await domain.shown()
  assert.partialDeepStrictEqual(lapsed, { status: 'pending', receiving_verified_at: null })
  assert.ok(lapsed.ownership_verified_at)
  assert.equal(await hand(world, 'ann@peer.example', address), '550 5.7.1')
  assert.equal((await subjectsIn(one, address)).length, 2, 'what is there can be read')
})

test('a domain changes hands after 72 hours without the owner’s token, and the old mail stays where it is', async () => {
  const other = await world.organization()
  const owner = await Enrolled.enrol(one, 'contested.test')
  await owner.publish()
  await pass(minute)
  const { address } = await boxAt(one, 'contested.test')
  await world.send({ from: 'ann@peer.example', to: address, subject: 'For the first owner', text: '.' })

  const claim = await Enrolled.enrol(other, 'contested.test')
  await claim.publish()
  for (let days = 0; days < 5; days++) await pass(27 * hour)
  const waiting = await claim.shown()
  assert.deepEqual([waiting.status, waiting.ownership_verified_at], ['pending', null])
  assert.partialDeepStrictEqual(waiting.dns[0], { purpose: 'ownership', satisfied: false, problem: 'conflict' })
  assert.match(waiting.dns[0]?.fix ?? '', /Another organization has proven/)
  assert.equal(await owner.status(), 'verified')

  await owner.withdraw('ownership')
  await dueNow()
  await pass(minute)
  assert.equal(await owner.status(), 'verified')
  world.dns.set('_mailroom-challenge.contested.test', { fails: 'servfail' })
  await dueNow()
  await pass(hour)
  await claim.publish('ownership')
  for (let n = 0; n < 2; n++) {
    await pass(24 * hour)
    await dueNow()
    await pass(0)
    assert.deepEqual([await owner.status(), await claim.status()], ['verified', 'pending'])
  }
  await pass(24 * hour)
  await dueNow()
  await pass(minute)
  await dueNow()
  await pass(0)
  assert.deepEqual([await owner.status(), await claim.status()], ['failed', 'verified'])
  assert.partialDeepStrictEqual(await owner.shown(), { ownership_token: null, next_check_at: null })

  const box = await boxAt(other, 'contested.test')
  await world.send({ from: 'ann@peer.example', to: address, subject: 'For the second owner', text: '.' })
  assert.deepEqual(await subjectsIn(other, box.address), ['For the second owner'])
  assert.deepEqual(await subjectsIn(one, address), ['For the first owner'])
  assert.equal((await boxAt(one, 'contested.test').catch(({ code }) => code)) as unknown, 'invalid_request')

  const back = await Enrolled.enrol(one, 'contested.test')
  assert.equal(back.id, owner.id, 'an enrolment with mailboxes begins anew in its place')
  await back.publish()
  await pass(minute)
  assert.deepEqual([await back.status(), await claim.status()], ['pending', 'verified'])
})

test('a sub-domain of another organization’s domain needs its own proof, and gets by with it', async () => {
  const other = await world.organization()
  const parent = await Enrolled.enrol(one, 'parent.test')
  await parent.publish()
  await pass(minute)
  const child = await Enrolled.enrol(other, 'shop.parent.test')
  await child.publish('mx', 'spf')
  await pass(minute)
  assert.deepEqual([await parent.status(), await child.status()], ['verified', 'pending'])
  await child.publish('ownership')
  await pass(6 * minute)
  assert.deepEqual([await parent.status(), await child.status()], ['verified', 'verified'])
})

test('rotated keys are published beside the old until they are seen; the old ones stay listed for a week', async () => {
  const domain = await Enrolled.enrol(await world.organization(), 'rotated.test')
  await domain.publish()
  await pass(minute)
  await domain.publish()
  await pass(2 * minute)
  assert.equal((await domain.shown()).outstanding, 0)
  const keys = async () => (await domain.shown()).dns.filter(({ purpose }) => purpose === 'dkim')
  const old = await keys()

  await operate('domain', 'rotate-dkim', 'rotated.test')
  const once = await keys()
  assert.deepEqual(once.slice(0, 2), old)
  assert.equal(once.length, 4)
  await operate('domain', 'rotate-dkim', 'rotated.test')
  const both = await keys()
  assert.equal(both.length, 4, 'new ones that nobody has published are replaced')
  assert.notEqual(both[2]?.name, once[2]?.name)
  assert.equal((await domain.shown()).outstanding, 2)

  await domain.publish('dkim')
  await dueNow()
  await pass(minute)
  const after = await domain.shown()
  assert.deepEqual([after.dns.length, after.outstanding], [6, 0])
  assert.deepEqual(each(await keys(), 'name'), each(both.slice(2), 'name'))
  const listed = async () => (await domain.shown()).optional_dns.filter(({ purpose }) => purpose === 'dkim').length
  assert.equal(await listed(), 2)
  await pass(6 * day)
  assert.equal(await listed(), 2)
  await pass(27 * hour)
  assert.equal(await listed(), 0)
})
