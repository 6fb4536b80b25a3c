// On a server: a killed process leaves its transactions and leases to others there alone.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { byOperator } from '#/audit/actor.ts'
import { addMember } from '#/members/members.ts'
import { readContent } from '#/mime/body/content.ts'
import { createOrganization } from '#/organizations/register.ts'
import { makeLink } from '#/sessions/invitation/link.ts'
import { HttpClient } from '#test/sockets/http-client.ts'
import { Sink } from '#test/sockets/sink.ts'
import { databaseHome } from '#test/world/database/database.ts'
import { cookieIn, fromOurPage } from '#test/world/members/signed-in.ts'
import { storeOrganization } from '#test/world/organization/stored-organization.ts'
import { startService } from '#test/world/service.ts'
import { killedAt } from '../letters/post-office.ts'

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

for (const [when, made] of [
  ['before', 0],
  ['after', 1],
] as const)
  test(`killed ${when} the commit of an invitation, ${made ? 'there is a member, whose link is mailed' : 'there is no member, link or mail'}`, async () => {
    await using home = await databaseHome()
    await using sink = await Sink.start()
    const publicUrl = 'https://mail.example.com'
    const env = { ...home.env, MAILROOM_PUBLIC_URL: publicUrl, MAILROOM_RELAY_URL: `smtp://127.0.0.1:${sink.port}` }
    const { organizationId } = await storeOrganization(home, { domain: 'acme.test', mailboxes: ['office'] })
    let link = ''
    {
      await using database = await home.open()
      const wanted = { organizationId, email: 'boss@people.example', name: '', role: 'owner' }
      const { id: memberId } = await addMember(database.db, wanted, byOperator)
      link = (await makeLink(database.db, { organizationId, memberId }, { base: '', now: Date.now() })).link
    }
    const kill = killedAt({ statements: ['insert into outbound_messages', 'commit'], when })
    const service = await startService({ ...env, ...kill })
    const client = new HttpClient(service.http)
    const signedIn = await client.request('POST', '/v1/session', { body: { link }, headers: fromOurPage })
    const headers = { ...fromOurPage, cookie: cookieIn(signedIn) }
    const body = { email: 'ann@far.example' }
    await assert.rejects(client.request('POST', '/v1/members', { body, headers }))
    await service.ended
    {
      await using database = await home.open()
      const count = async (table: 'members' | 'member_links' | 'outbound_messages') =>
        (await database.db.selectFrom(table).selectAll().execute()).length
      assert.deepEqual(
        [await count('members'), await count('member_links'), await count('outbound_messages')],
        [1 + made, made, made],
      )
    }
    if (made === 0) return
    const again = await startService(env)
    await using _ended = { [Symbol.asyncDispose]: async () => void (await again.end('SIGTERM')) }
    await sink.until(({ taken }) => taken.length > 0)
    const text = readContent(sink.taken[0]?.bytes ?? Buffer.alloc(0)).text ?? ''
    const [mailed] = /https:\S+/.exec(text) ?? []
    const sign = () => new HttpClient(again.http).request('POST', '/v1/session', { body: { link: mailed } })
    assert.deepEqual([(await sign()).status, (await sign()).status], [201, 401])
  })
