import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { byOperator } from '#/base/audit/actor.ts'
import { entriesOf } from '#/base/audit/queries.ts'
import { type Level, levels } from '#/http/access/caller.ts'
import { giveAccess } from '#/mail/mailboxes/access/access.ts'
import { roles } from '#/people/members/member.ts'
import { removeMember } from '#/people/members/members.ts'
import { each } from '#test/world/each.ts'
import { privateMailbox } from '#test/world/mail/private-mailbox.ts'
import { type SignedInMember, signIn } from '#test/world/members/signed-in.ts'
import { operatorOn, printed } from '#test/world/operator.ts'
import { type Furnished, furnish } from '#test/world/organization/furnished.ts'
import { addPersonalItems } from '#test/world/organization/personal-items.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { everyOperation, memberOperations, pathOf } from '#test/world/routes/every-route.ts'
import { memberMay } from '#test/world/routes/rules.ts'
import { samples } from '#test/world/routes/samples.ts'
import { World } from '#test/world/world.ts'

const world = await World.ofFile()

const removes = ({ method }: { method: string }) => (method === 'DELETE' ? 1 : 0)

/** Gives access as the operator does, which no session has noticed yet. */
async function share(organization: TestOrganization, address: string, memberId: string, level: Level): Promise<void> {
  const mailboxId = (await organization.request('GET', `/v1/mailboxes/${address}`)).body.id
  const mailbox = { organizationId: organization.id, mailboxId }
  const access = { mailbox, memberId, shares: 'all', by: byOperator } as const
  await world.db.transaction().execute((tx) => giveAccess(tx, access, level))
}

async function member(organization: TestOrganization, role: (typeof roles)[number] = 'member') {
  return (await organization.member(`${randomUUID()}@people.example`, role)).id
}

for (const role of roles)
  for (const level of levels)
    test(`every route that uses mail × ${role} × shared at the level ${level}`, async () => {
      const one = await furnish(world)
      const id = await member(one.organization, role)
      await share(one.organization, one.address, id, level)
      const session = await signIn(one.organization, id)
      // What removes something comes last.
      const operations = (await everyOperation(world)).toSorted((a, b) => removes(a) - removes(b))
      for (const { name, method, path, sample, rule } of operations) {
        const needed = rule.level
        if (!needed) continue
        if (role === 'member' && ![rule.scope].flat().some(memberMay)) continue
        const answer = await session.request(method, pathOf(path, sample, one), sample.body?.(one))
        const may = levels.indexOf(level) >= levels.indexOf(needed)
        assert.equal(answer.status, may ? (samples[name]?.status ?? 200) : 403, `${name}: ${answer.bytes}`)
        if (!may) assert.match(answer.body.error.message, new RegExp(`at the level ${level}; this needs ${needed}$`))
      }
      const { body: me } = await session.request('GET', '/v1/me')
      assert.deepEqual(each(me.mailboxes, 'address', 'level'), [[one.address, level]])
      assert.equal((await session.request('GET', '/v1/scheduled')).body.data.length > 0, true)
      for (const { name, method, path, sample, rule } of await memberOperations(world)) {
        if (rule.about === undefined) continue
        const { status } = await session.request(method, pathOf(path, sample, one), sample.body?.(one))
        const may = levels.indexOf(level) >= levels.indexOf(rule.level ?? 'read')
        assert.equal(status, may ? 200 : 403, name)
      }
    })

const accessPath = (address: string, memberId: string) => `/v1/mailboxes/${address}/access/${memberId}`

/** Whose the mailbox is that somebody shares. */
const owners = ['nobody', 'a member', 'the one who shares', 'another organization'] as const

for (const role of roles)
  for (const owner of owners)
    test(`sharing × ${role} × a mailbox of ${owner}`, async () => {
      const organization = await world.organization()
      const elsewhere = owner === 'another organization' ? await world.organization() : organization
      const { address } = await elsewhere.mailbox('box')
      const ownerId = owner === 'a member' ? (await organization.member(address)).id : undefined
      const mine = owner === 'the one who shares' ? address : `${randomUUID()}@people.example`
      const { id } = await organization.member(mine, role)
      const session = await signIn(organization, id)
      const friend = await member(organization)
      const put = (memberId: string, level: string) => session.request('PUT', accessPath(address, memberId), { level })
      const remove = (memberId: string) => session.request('DELETE', accessPath(address, memberId))
      const owned = owner === 'a member' || owner === 'the one who shares'
      const expected =
        role === 'member' ? 403 : owner === 'another organization' ? 404 : owned && role === 'admin' ? 403 : 200
      assert.equal((await put(friend, 'read')).status, expected)
      assert.equal((await put(friend, 'change')).status, expected)
      assert.equal((await put(friend, 'own')).status, role === 'member' ? 403 : 400)
      for (const nobody of [randomUUID(), 'x', await member(await world.organization())])
        assert.equal(
          (await put(nobody, 'read')).status,
          expected === 200 || (nobody === 'x' && role !== 'member') ? 404 : expected,
        )
      if (ownerId) assert.equal((await put(ownerId, 'read')).status, expected === 200 ? 400 : expected)

      const list = await session.request('GET', `/v1/mailboxes/${address}/access`)
      const sees = owner !== 'another organization' && (role !== 'member' || owner === 'the one who shares')
      assert.equal(list.status, sees ? 200 : 404)
      if (sees) {
        const rows = list.body.data.map((row: { member_id: string; level: string }) => [row.member_id, row.level])
        const own = ownerId ?? (owner === 'the one who shares' ? id : undefined)
        assert.deepEqual(rows, [...(own ? [[own, 'own']] : []), ...(expected === 200 ? [[friend, 'change']] : [])])
      }
      assert.equal((await remove(friend)).status, expected)
      if (expected === 200) assert.equal((await remove(friend)).status, 404)
      const entries = await entriesOf(world.db, organization.id, { action: 'mailbox.access_changed' }, 10)
      const levelsOf = entries.map(({ before, after }) => [before?.level, after?.level])
      assert.equal(levelsOf.join(' '), expected === 200 ? 'change, read,change ,read' : '')
    })

test('an owner who gives themselves access reads the mail, and the mailbox’s member sees who did', async () => {
  const one = await furnish(world)
  const { organization, address } = one
  const ada = await signIn(organization, (await organization.member(address)).id)
  const { id } = await organization.member('boss@people.example', 'owner')
  const boss = await signIn(organization, id)
  const read = (session: SignedInMember) => session.request('GET', `/v1/messages?mailbox=${address}`)
  assert.equal((await read(boss)).status, 404)
  const path = accessPath(address, id)
  const given = await boss.request('PUT', path, { level: 'read' })
  assert.equal(given.body.level, 'read')
  const again = await signIn(organization, id)
  assert.equal((await read(again)).status, 200)
  assert.equal((await boss.request('DELETE', path)).status, 200)
  const { body: seen } = await ada.request('GET', '/v1/me/access')
  const [ended, begun, byTheOperator, ...more] = seen.data
  const who = { mailbox: address, member: { id, email: 'boss@people.example' } }
  const by = { kind: 'member', name: 'boss@people.example' }
  assert.partialDeepStrictEqual(ended, { ...who, by, before: 'read', after: null })
  assert.partialDeepStrictEqual(begun, { ...who, by, before: null, after: 'read' })
  assert.partialDeepStrictEqual(byTheOperator, { mailbox: address, by: { kind: 'operator' } })
  assert.deepEqual([more, seen.next_cursor], [[], null])
  const first = (await ada.request('GET', '/v1/me/access?limit=1')).body
  assert.deepEqual(first.data, [ended])
  const next = await ada.request('GET', `/v1/me/access?cursor=${first.next_cursor}`)
  assert.deepEqual(next.body.data, seen.data.slice(1))
  assert.deepEqual((await boss.request('GET', '/v1/me/access')).body.data, [])
})

test('in a shared mailbox one labels mail with one’s own labels, which its other readers do not see', async () => {
  const { organization, address, ids } = await furnish(world)
  const signedIn = async () => {
    const id = await member(organization)
    await share(organization, address, id, 'change')
    return await signIn(organization, id)
  }
  const [ada, bob] = [await signedIn(), await signedIn()]
  const { keyword } = await addPersonalItems(ada)
  const path = `/v1/messages/${ids.message}?mailbox=${address}`
  assert.deepEqual((await ada.request('PATCH', path, { add_labels: [keyword] })).body.labels, [keyword])
  assert.deepEqual((await bob.request('GET', path)).body.labels, [])
  assert.equal((await bob.request('PATCH', path, { remove_labels: [keyword] })).status, 400)
})

test('a Private mailbox is not shared', async () => {
  const organization = await world.organization()
  const { address } = await privateMailbox(organization, 'secret')
  const boss = await signIn(organization, await member(organization, 'owner'))
  const { status, body } = await boss.request('PUT', accessPath(address, await member(organization)), { level: 'read' })
  assert.deepEqual([status, body.error.field], [400, 'address'])
})

test('access goes with the member and with the mailbox', async () => {
  const { organization, address } = await furnish(world)
  const count = async () => {
    const rows = world.db.selectFrom('mailbox_access').where('organization_id', '=', organization.id)
    return (await rows.select('member_id').execute()).length
  }
  const id = await member(organization)
  await share(organization, address, id, 'send')
  assert.equal(await count(), 2)
  await removeMember(world.db, organization.id, id, byOperator)
  assert.equal(await count(), 1)
  const { id: mailboxId } = (await organization.request('GET', `/v1/mailboxes/${address}`)).body
  await world.db.deleteFrom('mailboxes').where('id', '=', mailboxId).execute()
  assert.equal(await count(), 0)
})

test('the command line shares, lists and unshares', async () => {
  const { organization, address }: Furnished = await furnish(world)
  const { id } = await organization.member('eve@people.example')
  const run = (...words: string[]) => printed(operatorOn(world), 'mailbox', ...words)
  const named = [address, '--member', 'EVE@people.example']
  assert.equal((await run('share', ...named)).level, 'read')
  assert.equal((await run('share', ...named, '--level', 'send')).level, 'send')
  const listed = (await run('access', address)).data
  assert.partialDeepStrictEqual(listed.at(-1), { member_id: id, email: 'eve@people.example', level: 'send' })
  assert.deepEqual((await run('unshare', ...named)).removed, true)
  assert.equal((await run('access', address)).data.length, 1)
})
