// On both databases: a process stands still while it holds a lease.
import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { sql } from 'kysely'
import { DirectoryInUse, lockDirectory } from '#/base/db/directory-lock.ts'
import type { Db } from '#/base/db/schema.ts'
import { databaseHome } from '#test/world/database/database.ts'
import { startDnsServer } from '#test/world/dns/dns-server.ts'
import { onceSaid } from '#test/world/observe/writes.ts'
import { storeOrganization } from '#test/world/organization/stored-organization.ts'
import { type Service, startService } from '#test/world/service.ts'
import { Letter } from '../letters/senders.ts'
import { discrepancies, lettersStored } from '../letters/stored.ts'
import { handOver, killedAtCommit, stopping } from './killed-at-commit.ts'

const stoppedAt = (letter: Letter) => killedAtCommit('before', letter, 'SIGSTOP')

/** A stopped process would keep a failed test from ending. */
const started: Service[] = []
afterEach(() => {
  for (const { process } of started.splice(0)) process.kill('SIGKILL')
})

async function start(env: Record<string, string>): Promise<Service> {
  const service = await startService(env)
  started.push(service)
  return service
}

if (process.env.TEST_DATABASE_URL === undefined)
  test('a suspended process keeps its data directory locked, and continues where it was', async () => {
    await using home = await databaseHome()
    await using dns = await startDnsServer({})
    const { addresses } = await storeOrganization(home, { domain: 'stopped.test', mailboxes: ['ada'] })
    const letter = new Letter('long matter', addresses, true)
    const service = await start({ ...home.env, MAILROOM_DNS_SERVERS: dns.address, ...stoppedAt(letter) })
    const answer = handOver(service, letter)
    await onceSaid(service, stopping)
    assert.throws(() => lockDirectory(home.env.MAILROOM_DATA_DIR ?? ''), DirectoryInUse)
    service.process.kill('SIGCONT')
    assert.equal(await answer, 250)
    await service.end('SIGTERM')
    await using database = await home.open()
    assert.deepEqual(await Array.fromAsync(lettersStored(database.db)), [`${letter.name} at ${addresses[0]}`])
  })
else
  test('a process that was stopped before a commit and continues too late writes nothing', async () => {
    await using home = await databaseHome()
    await using dns = await startDnsServer({})
    const { addresses } = await storeOrganization(home, { domain: 'stopped.test', mailboxes: ['ada'] })
    const letter = new Letter('long matter', addresses, true)
    const env = { ...home.env, MAILROOM_DNS_SERVERS: dns.address }
    // Ready before the other one stops, since the server ends the session by itself after a while.
    const other = await start(env)
    await using database = await home.open()
    const late = await start({ ...env, ...stoppedAt(letter) })
    const lateAnswer = handOver(late, letter)
    await onceSaid(late, stopping)
    const otherAnswer = handOver(other, letter)
    await endPausedSession(database.db)
    assert.equal(await otherAnswer, 250)

    late.process.kill('SIGCONT')
    assert.equal(await lateAnswer, 451)
    assert.equal(await handOver(late, letter), 250)
    for (const service of [late, other]) await service.end('SIGTERM')
    assert.deepEqual(await Array.fromAsync(lettersStored(database.db)), [`${letter.name} at ${addresses[0]}`])
    assert.deepEqual(await discrepancies(database.db), [])
  })

/** As the server does by itself to a transaction that pauses for longer than it was told. */
async function endPausedSession(db: Db): Promise<void> {
  const { rows } = await sql<{ limit: string }>`
    select current_setting('idle_in_transaction_session_timeout') as limit`.execute(db)
  assert.deepEqual(rows, [{ limit: '20s' }])
  const ended = await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and state = 'idle in transaction'`.execute(db)
  assert.equal(ended.rows.length, 1)
}
