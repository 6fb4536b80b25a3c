import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { entriesOf } from '#/audit/queries.ts'
import { roles } from '#/members/member.ts'
import { signIn } from '#test/world/members/signed-in.ts'
import { furnish } from '#test/world/organization/furnished.ts'
import { World } from '#test/world/world.ts'

const world = await World.start()
after(() => world[Symbol.asyncDispose]())

for (const role of roles) {
  test(`suspending, resuming and deleting a mailbox × ${role}`, async () => {
    const { organization, address } = await furnish(world)
    const session = await signIn(organization, (await organization.member('eve@people.example', role)).id)
    const ask = (method: string, step = '', box = address) => session.request(method, `/v1/mailboxes/${box}${step}`)
    const mail = { from: 'bob@else.example', to: address, subject: 'Hello', text: 'Hello' }
    const suspended = await ask('POST', '/suspend')
    if (role === 'member') {
      for (const answer of [suspended, await ask('POST', '/resume'), await ask('DELETE')])
        assert.equal(answer.status, 403)
      await world.send(mail)
      return
    }
    assert.deepEqual([suspended.status, suspended.body.suspended], [200, true])
    assert.equal((await ask('POST', '/suspend')).body.suspended, true)
    await assert.rejects(world.send(mail), /550/)
    assert.equal((await ask('POST', '/resume')).body.suspended, false)
    await world.send(mail)
    const other = await world.organization()
    const foreign = (await other.mailbox('ada')).address
    for (const [method, step] of [
      ['POST', '/suspend'],
      ['POST', '/resume'],
      ['DELETE', ''],
    ] as const)
      assert.equal((await ask(method, step, foreign)).status, 404)
    const gone = await ask('DELETE')
    assert.partialDeepStrictEqual(gone.body, { deleted: true, address })
    assert.equal((await organization.request('GET', `/v1/mailboxes/${address}`)).status, 404)
    const entries = await entriesOf(world.db, organization.id, { action: 'mailbox', actor: session.id }, 10)
    assert.deepEqual(
      entries.map(({ action }) => action),
      ['mailbox.deleted', 'mailbox.suspended', 'mailbox.resumed', 'mailbox.suspended'],
    )
  })
}
