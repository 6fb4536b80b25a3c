// On a server: a killed process leaves its transactions and leases to others there alone.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { byOperator } from '#/base/audit/actor.ts'
import { readContent } from '#/formats/mime/body/content.ts'
import { addMember } from '#/people/members/members.ts'
import { makeLink } from '#/people/sessions/invitation/link.ts'
import { type DatabaseHome, databaseHome } from '#test/world/database/database.ts'
import { cookieIn, fromOurPage } from '#test/world/members/signed-in.ts'
import { storeOrganization } from '#test/world/organization/stored-organization.ts'
import { startService } from '#test/world/service.ts'
import { HttpClient } from '#test/world/sockets/http-client.ts'
import { Sink } from '#test/world/sockets/sink.ts'
import { killedAt } from '../letters/post-office.ts'

/** A key of the organization, and a link that signs its owner in. */
interface Secrets {
  readonly key: string
  readonly link: string
}

const signIn = (client: HttpClient, link?: string) => client.request('POST', '/v1/session', { body: { link } })

/** Requests that are one transaction each, a statement in it, and how many rows there are where their process is killed before and after the
 *  commit. */
const kills = [
  [
    'a change of settings',
    (client: HttpClient, { key }: Secrets) => client.request('POST', '/v1/labels', { key, body: { name: 'Work' } }),
    'insert into audit_entries',
    { "labels where name = 'Work'": [0, 1], "audit_entries where item_name = 'Work'": [0, 1] },
  ],
  [
    'a sign-in',
    (client: HttpClient, { link }: Secrets) => signIn(client, link),
    'insert into "member_sessions"',
    { member_links: [1, 0], member_sessions: [0, 1] },
  ],
  [
    'an invitation',
    async (client: HttpClient, { link }: Secrets) => {
      const headers = { ...fromOurPage, cookie: cookieIn(await signIn(client, link)) }
      return await client.request('POST', '/v1/members', { body: { email: 'ann@far.example' }, headers })
    },
    'insert into outbound_messages',
    { members: [1, 2], member_links: [0, 1], outbound_messages: [0, 1] },
  ],
] as const

for (const [what, ask, statement, rows] of kills)
  for (const [nth, when] of (['before', 'after'] as const).entries())
    test(`killed ${when} the commit of ${what}, ${nth ? 'all' : 'none'} of it is stored`, async () => {
      await using home = await databaseHome()
      await using sink = await Sink.start()
      const relay = { MAILROOM_RELAY_URL: `smtp://127.0.0.1:${sink.port}` }
      const env = { ...home.env, ...relay, MAILROOM_PUBLIC_URL: 'https://mail.example.com' }
      const secrets = await withOwner(home)
      // Another transaction's commit can come in between on a server, so the service has nothing else to do.
      const service = await startService({ ...env, ...killedAt({ statements: [statement, 'commit'], when }) })
      await assert.rejects(ask(new HttpClient(service.http), secrets))
      await service.ended
      assert.deepEqual(
        await counted(home, Object.keys(rows)),
        Object.values(rows).map((counts) => counts[nth]),
      )
      if (what === 'a change of settings') return

      const again = await startService(env)
      await using _ended = { [Symbol.asyncDispose]: async () => void (await again.end('SIGTERM')) }
      const client = new HttpClient(again.http)
      if (what === 'a sign-in') assert.equal((await signIn(client, secrets.link)).status, nth ? 401 : 201)
      if (what === 'a sign-in' || nth === 0) return
      await sink.until(({ taken }) => taken.length > 0)
      const [mailed] = /https:\S+/.exec(readContent(sink.taken[0]?.bytes ?? Buffer.alloc(0)).text ?? '') ?? []
      assert.deepEqual([(await signIn(client, mailed)).status, (await signIn(client, mailed)).status], [201, 401])
    })

async function withOwner(home: DatabaseHome): Promise<Secrets> {
  const { organizationId, key } = await storeOrganization(home, { domain: 'acme.test', mailboxes: ['office'] })
  await using database = await home.open()
  const { db } = database
  const owner = { organizationId, email: 'boss@people.example', name: '', role: 'owner' }
  const { id: memberId } = await addMember(db, owner, byOperator)
  const { link } = await makeLink(db, { organizationId, memberId }, { base: '', now: Date.now() })
  return { key, link }
}

async function counted(home: DatabaseHome, tables: readonly string[]): Promise<unknown[]> {
  await using database = await home.open()
  const of = tables.map((table) => sql<{ count: number }>`select count(*)::integer as count from ${sql.raw(table)}`)
  return await Promise.all(of.map(async (one) => (await one.execute(database.db)).rows[0]?.count))
}
