import assert from 'node:assert/strict'
import { test } from 'node:test'
import { entriesOf } from '#/audit/queries.ts'
import { each } from '#test/each.ts'
import { signIn } from '#test/world/members/signed-in.ts'
import { furnish } from '#test/world/organization/furnished.ts'
import { World } from '#test/world/world.ts'

const world = await World.ofFile()

test('an owner suspends, resumes and deletes a mailbox, of which the audit trail tells', async () => {
  const { organization, address } = await furnish(world)
  const session = await signIn(organization, (await organization.member('eve@people.example', 'owner')).id)
  const ask = (method: string, step = '') => session.request(method, `/v1/mailboxes/${address}${step}`)
  const mail = { from: 'bob@else.example', to: address, subject: 'Hello', text: 'Hello' }
  for (const _ of ['once', 'again']) assert.equal((await ask('POST', '/suspend')).body.suspended, true)
  await assert.rejects(world.send(mail), /550/)
  assert.equal((await ask('POST', '/resume')).body.suspended, false)
  await world.send(mail)
  assert.partialDeepStrictEqual((await ask('DELETE')).body, { deleted: true, address })
  assert.equal((await organization.request('GET', `/v1/mailboxes/${address}`)).status, 404)
  const entries = await entriesOf(world.db, organization.id, { action: 'mailbox', actor: session.id }, 10)
  const actions = ['mailbox.deleted', 'mailbox.suspended', 'mailbox.resumed', 'mailbox.suspended']
  assert.deepEqual(each(entries, 'action'), actions)
})
