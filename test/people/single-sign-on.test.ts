import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { BrowserAt } from '#test/world/identity/browser-at.ts'
import { BrowserThere, RealProvider } from '#test/world/identity/real-provider.ts'
import { ofFile } from '#test/world/of-file.ts'
import { World } from '#test/world/world.ts'

const provider = ofFile(await RealProvider.start())
const world = await World.ofFile({ env: { ...provider.env, MAILROOM_OIDC_ADMIN_GROUP: 'mail-admins' } })
provider.serve(world.base)

/** A member whom the provider knows. */
async function newMember(more: object = {}) {
  const [sub, email] = [randomUUID(), `${randomUUID()}@people.example`]
  provider.people.set(sub, { email, email_verified: true, name: 'Ada Lovelace', ...more })
  const organization = await world.organization()
  const { id } = await organization.member(email)
  return { sub, id, organization }
}

test('a member signs in by a provider that others have made, which says that they are an admin', async () => {
  const { sub, id } = await newMember({ groups: ['staff', 'mail-admins'] })
  const [here, there] = [new BrowserAt(world), new BrowserThere()]
  const arrived = await here.comeBack(await there.goThere(await here.begin({ to: '/mail' }), sub))
  assert.deepEqual(arrived, { path: '/mail', failed: null })
  const { body } = await here.request('GET', '/v1/me')
  assert.deepEqual([body.id, body.role], [id, 'admin'])
})

test('a sign-in there serves for another one here, but a confirmation asks who it is again', async () => {
  const { sub } = await newMember()
  const [here, there] = [new BrowserAt(world), new BrowserThere()]
  await here.comeBack(await there.goThere(await here.begin(), sub))
  assert.equal((await here.comeBack(await there.goThere(await here.begin(), sub))).failed, null)
  assert.equal(there.asked, 1)
  await world.db
    .updateTable('member_sessions')
    .set({ confirmed_at: new Date(0) })
    .execute()
  const dangerous = async () => (await here.request('DELETE', '/v1/me/totp')).status
  assert.equal(await dangerous(), 403)
  const confirmed = await here.comeBack(await there.goThere(await here.beginToConfirm(), sub))
  assert.deepEqual(confirmed, { path: '/confirm', failed: null })
  assert.deepEqual([there.asked, await dangerous()], [2, 404])
})
