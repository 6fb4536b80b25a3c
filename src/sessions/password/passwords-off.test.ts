import assert from 'node:assert/strict'
import { test } from 'node:test'
import { password, tryPassword, withPassword } from '#test/world/members/passwords.ts'
import { signIn } from '#test/world/members/signed-in.ts'
import { World } from '#test/world/world.ts'

const world = await World.ofFile()
const without = await World.ofFile({ database: world.database, env: { MAILROOM_PASSWORDS: 'off' } })

test('everybody can learn whether one can sign in with a password', async () => {
  const ways = async ({ client }: World) => (await client.request('GET', '/v1/session/ways')).body.password
  assert.deepEqual([await ways(world), await ways(without)], [true, false])
})

test('where passwords are off, a right one opens nothing, and the answer is that to a wrong one', async () => {
  const organization = await world.organization()
  await withPassword(organization, 'ada@people.example')
  for (const tried of [password, 'another one altogether']) {
    const { status, body } = await tryPassword(without, { email: 'ada@people.example', password: tried })
    assert.deepEqual([status, body.error.message], [403, 'Members have no passwords here'])
  }
})

test('where passwords are off, none is set, none confirms, and no second factor is added; a link still signs in', async () => {
  const organization = await world.organization()
  const { id } = await organization.member('ada@people.example')
  const session = await signIn(organization, id, without)
  for (const [method, path, body] of [
    ['PUT', '/v1/me/password', { password }],
    ['POST', '/v1/session/confirm', { password }],
    ['POST', '/v1/me/totp', undefined],
    ['POST', '/v1/me/totp/confirm', { code: '123456' }],
  ] as const) {
    const answer = await session.request(method, path, body)
    assert.deepEqual([answer.status, answer.body.error.code], [403, 'forbidden'], `${method} ${path}`)
  }
  assert.equal((await session.request('GET', '/v1/me')).body.has_password, false)
})
