import assert from 'node:assert/strict'
import { test } from 'node:test'
import { byOperator } from '#/audit/actor.ts'
import { addMember } from '#/members/members.ts'
import { createOrganization } from '#/organizations/register.ts'
import { makeLink } from '#/sessions/link.ts'
import { HttpClient } from '#test/sockets/http-client.ts'
import { databaseHome } from '#test/world/database.ts'
import { startService } from '#test/world/service.ts'
import { killedAt } from './post-office.ts'

for (const [when, links, sessions] of [
  ['before', 1, 0],
  ['after', 0, 1],
] as const)
  test(`killed ${when} the commit of a sign-in, ${links ? 'the link is there and works' : 'the link is used up and there is a session'}`, async () => {
    await using home = await databaseHome()
    let link = ''
    {
      await using database = await home.open()
      const { db } = database
      const { id: organizationId } = await createOrganization(db, { name: 'Acme', plan: 'team' }, byOperator)
      const member = { organizationId, email: 'ada@people.example', name: '', role: 'member' }
      const { id: memberId } = await addMember(db, member, byOperator)
      link = (await makeLink(db, { organizationId, memberId }, { base: '', now: Date.now() })).link
    }
    // Another transaction's commit can come in between on a server, so the service has nothing else to do.
    const kill = killedAt({ statements: ['insert into "member_sessions"', 'commit'], when })
    const service = await startService({ ...home.env, ...kill })
    await assert.rejects(new HttpClient(service.http).request('POST', '/v1/session', { body: { link } }))
    await service.ended
    {
      await using database = await home.open()
      const count = async (table: 'member_links' | 'member_sessions') =>
        (await database.db.selectFrom(table).selectAll().execute()).length
      assert.deepEqual([await count('member_links'), await count('member_sessions')], [links, sessions])
    }
    const again = await startService(home.env)
    const { status } = await new HttpClient(again.http)
      .request('POST', '/v1/session', { body: { link } })
      .finally(() => again.end('SIGTERM'))
    assert.equal(status, links ? 201 : 401)
  })
