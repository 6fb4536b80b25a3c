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
  const [one, other, anothers] = [
    await signIn(organization, ada.id),
    await signIn(organization, ada.id),
    await signIn(organization, bob.id),
  ]
  const [first, second] = [await listed(one), await listed(other)]
  assert.deepEqual(first.map(({ id }) => id).sort(), second.map(({ id }) => id).sort())
  assert.deepEqual(
    [first, second].map((list) => list.filter(({ current }) => current).length),
    [1, 1],
  )
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
  assert.deepEqual(
    each(entries.reverse(), 'action', 'item', 'before', 'after'),
    [
      ['member.signed_in', null, signed],
      ['member.signed_in', null, signed],
      ['member.signed_out', seen, null],
      ['member.signed_out', seen, null],
    ].map(([action, ...settings]) => [action, { id, name: 'ada@people.example' }, ...settings]),
  )
  for (const { cookie } of [one, other]) assert.ok(!JSON.stringify(entries).includes(cookie.split('=')[1] ?? cookie))
})
