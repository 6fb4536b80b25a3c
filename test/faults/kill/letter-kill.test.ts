// On a server: a killed process leaves its transactions and leases to others there alone.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type DatabaseHome, databaseHome } from '#test/world/database/database.ts'
import { startDnsServer } from '#test/world/dns/dns-server.ts'
import { storeOrganization } from '#test/world/organization/stored-organization.ts'
import { startService } from '#test/world/service.ts'
import { Letter } from '../letters/senders.ts'
import { discrepancies, lettersStored } from '../letters/stored.ts'
import { handOver, killedAtCommit } from './killed-at-commit.ts'

for (const name of ['urgent matter', 'long matter'])
  test(`killed before the commit a message is not there, after it is, and sent again it is stored once: ${name}`, async () => {
    await using home = await databaseHome()
    await using dns = await startDnsServer({})
    const { addresses } = await storeOrganization(home, { domain: 'killed.test', mailboxes: ['ada', 'bob'] })
    const env = { ...home.env, MAILROOM_DNS_SERVERS: dns.address }
    const letter = new Letter(name, addresses, true)
    const everywhere = addresses.map((address) => `${letter.name} at ${address}`)

    await assert.rejects(
      handOver(await startService({ ...env, ...killedAtCommit('before', letter) }), letter),
      /hung up/,
    )
    assert.deepEqual(await stored(home), [])
    await assert.rejects(
      handOver(await startService({ ...env, ...killedAtCommit('after', letter) }), letter),
      /hung up/,
    )
    assert.deepEqual(await stored(home), everywhere)
    const service = await startService(env)
    assert.equal(await handOver(service, letter), 250)
    await service.end('SIGTERM')
    assert.deepEqual(await stored(home), everywhere)
  })

/** Checks the tables, and answers the stored letters. */
async function stored(home: DatabaseHome): Promise<string[]> {
  await using database = await home.open()
  assert.deepEqual(await discrepancies(database.db), [])
  return await Array.fromAsync(lettersStored(database.db))
}
