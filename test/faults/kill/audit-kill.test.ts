// On a server: a killed process leaves its transactions and leases to others there alone.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { byOperator } from '#/audit/actor.ts'
import { entriesOf } from '#/audit/queries.ts'
import { createKey } from '#/keys/keys.ts'
import { labelsOf } from '#/labels/queries.ts'
import { organizationItself } from '#/organizations/owner.ts'
import { createOrganization } from '#/organizations/register.ts'
import { HttpClient } from '#test/sockets/http-client.ts'
import { databaseHome } from '#test/world/database/database.ts'
import { startService } from '#test/world/service.ts'
import { killedAt } from '../letters/post-office.ts'

for (const [when, stored] of [
  ['before', 0],
  ['after', 1],
] as const)
  test(`killed ${when} the commit of a change, ${stored ? 'both the change and its entry are' : 'neither the change nor its entry is'} stored`, async () => {
    await using home = await databaseHome()
    let organizationId = ''
    let key = ''
    {
      await using database = await home.open()
      ;({ id: organizationId } = await createOrganization(database.db, { name: 'Acme', plan: 'team' }, byOperator))
      const fields = { name: '', scopes: ['labels:write'], expiresAt: null } as const
      key = (await createKey(database.db, organizationId, fields, Date.now(), byOperator)).secret
    }
    // Another transaction's commit can come in between on a server, so the service has nothing else to do.
    const kill = killedAt({ statements: ['insert into audit_entries', 'commit'], when })
    const service = await startService({ ...home.env, ...kill })
    const asked = new HttpClient(service.http).request('POST', '/v1/labels', { key, body: { name: 'Work' } })
    await assert.rejects(asked)
    await service.ended
    await using database = await home.open()
    const entries = await entriesOf(database.db, organizationId, { action: 'label' }, 10)
    assert.deepEqual(
      [(await labelsOf(database.db, organizationItself(organizationId))).length, entries.length],
      [stored, stored],
    )
  })
