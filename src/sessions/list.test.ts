import assert from 'node:assert/strict'
import { test } from 'node:test'
import { entriesOf } from '#/audit/queries.ts'
import { each } from '#test/each.ts'
import { signIn } from '#test/world/members/signed-in.ts'
import { World } from '#test/world/world.ts'

const world = await World.ofFile()

const day = 86_400_000

interface Listed {
  readonly id: string
  readonly current: boolean
}

async function listed(session: Awaited<ReturnType<typeof signIn>>): Promise<Listed[]> {
  return (await session.request('GET', '/v1/me/sessions')).body.data
}

test('a member lists the sessions that are theirs and have not ended, and ends one', async () => {
  const organization = await world.organization()
  const [ada, bob] = [await organization.member('ada@people.example'), await organization.member('bob@people.example')]
  const [one, other] = [await signIn(organization, ada.id), await signIn(organization, ada.id)]
  const anothers = await signIn(organization, bob.id)
  const [first, second] = [await listed(one), await listed(other)]
  assert.deepEqual(each(first, 'id').sort(), each(second, 'id').sort())
  for (const list of [first, second]) assert.equal(list.filter(({ current }) => current).length, 1)
  assert.equal((await listed(anothers)).length, 1)
  const id = second.find(({ current }) => current)?.id
  assert.deepEqual((await one.request('DELETE', `/v1/me/sessions/${id}`)).body, { ended: true, id })
  assert.equal((await listed(one)).length, 1)
  world.clock.advance(5_000)
  assert.equal((await other.request('GET', '/v1/me')).status, 401)
  await world.advance(7 * day)
  const later = await signIn(organization, ada.id)
  assert.equal((await listed(later)).length, 1, 'the other has ended')
})

test('the audit trail has where a member signed in, and which session they ended from where', async () => {
  const organization = await world.organization()
  const { id } = await organization.member('ada@people.example')
  const [one, other] = [await signIn(organization, id), await signIn(organization, id)]
  const ended = (await listed(other)).find(({ current }) => !current)?.id
  await other.request('DELETE', `/v1/me/sessions/${ended}`)
  await other.request('DELETE', '/v1/session')
  assert.equal((await other.request('DELETE', `/v1/me/sessions/${ended}`)).status, 401)
  const entries = await entriesOf(world.db, organization.id, { action: 'member', actor: id }, 10)
  const seen = { client_address: '127.0.0.1', user_agent: entries[0]?.before?.user_agent }
  const signed = { ...seen, way: 'link' }
  for (const { item } of entries) assert.deepEqual(item, { id, name: 'ada@people.example' })
  assert.deepEqual(each(entries.reverse(), 'action', 'before', 'after'), [
    ...Array(2).fill(['member.signed_in', null, signed]),
    ...Array(2).fill(['member.signed_out', seen, null]),
  ])
  for (const { cookie } of [one, other]) assert.ok(!JSON.stringify(entries).includes(cookie.split('=')[1] ?? cookie))
})
