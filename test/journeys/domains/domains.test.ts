// On both databases: two organizations claim one domain at once.
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { Enrolled } from '#test/dns/enrolled.ts'
import { each } from '#test/each.ts'
import { hand, subjectsIn } from '#test/mail/letter.ts'
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

describe('from enrolment to verified', () => {
  let domain: Enrolled
  before(async () => {
    domain = await Enrolled.enrol(one, 'journey.test')
  })

  test('a fresh enrolment lists four records, not yet looked at, and is due in a minute', async () => {
    const { dns, outstanding, status, ownership_token: token, next_check_at: next, ...times } = await domain.shown()
    assert.deepEqual(each(dns, 'purpose'), ['ownership', 'mx', 'spf', 'dmarc'])
    assert.ok(dns.every(({ satisfied, last_checked_at: at }) => !satisfied && at === null))
    assert.deepEqual([outstanding, status], [4, 'pending'])
    assert.match(token ?? '', /^[0-9a-f]{32}$/)
    assert.equal(Date.parse(next ?? '') - world.clock.now(), minute)
    const { ownership_verified_at: owned, receiving_verified_at: receiving, last_checked_at: checked } = times
    assert.deepEqual([owned, receiving, checked], [null, null, null])
  })

  test('the first check makes the keys: six records, of which the two new ones are not yet looked at', async () => {
    await pass(minute)
    const { dns, outstanding, status } = await domain.shown()
    const found = dns.map(({ purpose, problem, last_checked_at: at }) => `${purpose} ${problem} ${at !== null}`)
    const missing = ['ownership', 'mx', 'spf', 'dmarc'].map((purpose) => `${purpose} missing true`)
    assert.deepEqual(found, [...missing, 'dkim null false', 'dkim null false'])
    assert.deepEqual([outstanding, status], [6, 'pending'])
  })

  test('keys are sealed at rest, and the RSA one has 2,048 bits', async () => {
    const rows = await world.db.selectFrom('dkim_keys').selectAll().where('domain_id', '=', domain.id).execute()
    assert.deepEqual(rows.map(({ algorithm }) => algorithm).sort(), ['ed25519', 'rsa'])
    for (const { algorithm, public_key: key, private_key: sealed } of rows) {
      assert.equal(Buffer.from(key, 'base64').length, algorithm === 'rsa' ? 294 : 32)
      assert.ok(!sealed.includes(Buffer.from('300406032b6570', 'hex')) && sealed[0] === 2, 'no PKCS #8 in the open')
    }
  })

  test('mail and mailboxes are refused while it is pending', async () => {
    assert.equal(await hand(world, 'ann@peer.example', 'ada@journey.test'), '550 5.7.1')
    await one.mailbox('ada')
    await assert.rejects(boxAt(one, 'journey.test'), { code: 'invalid_request' })
  })

  test('a record at a time: outstanding falls, and with ownership and MX it is verified', async () => {
    await domain.publish('spf', 'mx')
    await pass(6 * minute)
    const half = await domain.shown()
    assert.deepEqual([half.outstanding, half.status, half.ownership_verified_at], [4, 'pending', null])
    assert.ok(half.receiving_verified_at)
    await domain.publish('ownership')
    await pass(6 * minute)
    const { outstanding, status, ownership_token: token, ownership_verified_at: owned } = await domain.shown()
    assert.deepEqual([outstanding, status, token], [3, 'verified', null])
    assert.equal(Date.parse(owned ?? ''), world.clock.now())
  })

  test('mail arrives, and the rest of the records is found within minutes', async () => {
    const { address } = await boxAt(one, 'journey.test')
    assert.equal(await hand(world, 'ann@peer.example', address), '250 2.6.0')
    await domain.publish()
    await pass(6 * minute)
    const { outstanding, dns, next_check_at: next } = await domain.shown()
    assert.equal(outstanding, 0)
    assert.ok(dns.every(({ satisfied, problem }) => satisfied && problem === null))
    assert.ok(Math.abs(Date.parse(next ?? '') - world.clock.now() - day) <= 0.1 * day, 'daily from now on')
    assert.equal((await one.request('GET', `/v1/domains/${domain.id}/zone`)).bytes.toString().match(/ IN /g), null)
  })

  test('in the 72 hours of grace it is verified and receives; after them it is not and does not', async () => {
    await domain.withdraw('mx')
    await pass(27 * hour)
    for (let hours = 0; hours < 70; hours += 24) {
      assert.equal(await domain.status(), 'verified')
      assert.equal(await hand(world, 'ann@peer.example', 'box@journey.test'), '250 2.6.0')
      await pass(23.9 * hour)
      await dueNow()
    }
    await pass(2 * hour)
    const { status, receiving_verified_at: receiving, ownership_verified_at: owned } = await domain.shown()
    assert.deepEqual([status, receiving], ['pending', null])
    assert.ok(owned)
    assert.equal(await hand(world, 'ann@peer.example', 'box@journey.test'), '550 5.7.1')
    assert.ok((await subjectsIn(one, 'box@journey.test')).length > 0, 'what is there can be read')
  })
})

async function boxAt(organization: TestOrganization, domain: string): Promise<{ address: string }> {
  const { status, body } = await organization.request('POST', '/v1/mailboxes', { domain, local_part: 'box' })
  if (status !== 201) throw Object.assign(new Error(body.error.message), body.error)
  return body
}

test('ownership that is not proven in 14 days fails; enrolled again it has a new token and begins with four', async () => {
  const domain = await Enrolled.enrol(one, 'slow.test')
  const { ownership_token: first } = await domain.shown()
  for (let days = 0; days < 14; days++) {
    assert.equal(await domain.status(), 'pending')
    await pass(day)
  }
  await pass(minute)
  const failed = await domain.shown()
  assert.deepEqual([failed.status, failed.ownership_token, failed.next_check_at], ['failed', null, null])
  await domain.publish()
  await pass(day)
  assert.equal(await domain.status(), 'failed')
  const again = await Enrolled.enrol(one, 'slow.test')
  const { ownership_token: second, dns, status } = await again.shown()
  assert.deepEqual([status, dns.length], ['pending', 4])
  assert.notEqual(second, first)
  await pass(minute)
  assert.equal((await again.shown()).ownership_verified_at, null, 'the old token proves nothing')
  await one.request('DELETE', `/v1/domains/${again.id}`)
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

test('a suspended domain accepts no mail and no mailboxes, and its mail can be read', async () => {
  const domain = await Enrolled.enrol(await world.organization(), 'suspended.test')
  const { organization } = domain
  await domain.publish()
  await pass(minute)
  const { address } = await boxAt(organization, 'suspended.test')
  assert.equal(await hand(world, 'ann@peer.example', address), '250 2.6.0')
  const suspended = await operate('domain', 'suspend', 'Suspended.test')
  assert.partialDeepStrictEqual(suspended, { domain: 'suspended.test', suspended: true, status: 'verified' })
  assert.equal(await hand(world, 'ann@peer.example', address), '550 5.2.1')
  await organization.bodyOf(400, 'POST', '/v1/mailboxes', { domain: 'suspended.test', local_part: 'two' })
  assert.equal((await subjectsIn(organization, address)).length, 1)
  const removal = await organization.request('DELETE', `/v1/domains/${domain.id}`)
  assert.partialDeepStrictEqual(removal.body.error, { message: 'suspended.test is suspended' })
  await operate('domain', 'resume', domain.id)
  assert.equal(await hand(world, 'ann@peer.example', address), '250 2.6.0')
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
