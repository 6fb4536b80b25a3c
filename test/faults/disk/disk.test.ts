// On one database: the embedded one.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { openDatabase } from '#/base/db/open.ts'
import { databaseHome } from '#test/world/database/database.ts'
import { startDnsServer } from '#test/world/dns/dns-server.ts'
import { hand, letter, subjectsIn } from '#test/world/letters/letter.ts'
import { storeOrganization } from '#test/world/organization/stored-organization.ts'
import { startService } from '#test/world/service.ts'
import { World } from '#test/world/world.ts'
import { check } from '../letters/checker.ts'
import { Senders } from '../letters/senders.ts'
import { discrepancies, lettersStored } from '../letters/stored.ts'

for (const [what, state, expected] of [
  ['has no room', '53100', '452 4.3.1'],
  ['cannot read or write its disk', '58030', '451 4.3.0'],
] as const)
  test(`where the database ${what}, mail is deferred with ${expected}, a request gets 500, one that writes mail 502, nothing is half-stored`, async () => {
    await using world = await World.start()
    const { organization, address } = await world.mailbox('ada')
    const label = () => organization.request('POST', '/v1/labels', { name: 'Late' })
    const draft = () => organization.request('POST', '/v1/drafts', { mailbox: address })
    await sql`create function fail() returns trigger language plpgsql as $$
      begin raise exception 'could not extend file' using errcode = '${sql.raw(state)}'; end $$`.execute(world.db)
    for (const table of ['labels', 'mail_keywords', 'organization_usage'])
      await sql`create trigger fail before insert or update on ${sql.table(table)} execute function fail()`.execute(
        world.db,
      )

    const message = letter({ Subject: 'Late' })
    assert.equal(await hand(world, 'ann@peer.example', address, message), expected)
    assert.deepEqual([(await label()).status, (await draft()).status], [500, 502])
    assert.deepEqual(await discrepancies(world.db), [])
    assert.deepEqual(await subjectsIn(organization, address), [])

    await sql`drop function fail() cascade`.execute(world.db)
    assert.equal(await hand(world, 'ann@peer.example', address, message), '250 2.6.0')
    assert.equal((await label()).status, 201)
    assert.deepEqual(await subjectsIn(organization, address), ['Late'])
    assert.deepEqual(await discrepancies(world.db), [])
  })

/** Has a process say on standard output at which ports it listens, HTTP first. */
const sayPorts = `data:text/javascript,${encodeURIComponent(`
  import { Server } from 'node:net'
  const { listen } = Server.prototype
  Server.prototype.listen = function (...given) {
    const say = () => this.address().port && process.stdout.write(this.address().port + ' ')
    return listen.apply(this.once('listening', say), given)
  }`)}`

// On a server the disk is another machine's: see disk.peer.ts.
if (process.env.TEST_DATABASE_URL === undefined) {
  test('the embedded database outlives a full disk and a failing one, and keeps all that was acknowledged', async () => {
    await using home = await databaseHome()
    await using dns = await startDnsServer({})
    const { addresses } = await storeOrganization(home, { domain: 'disk.test', mailboxes: ['ada', 'bob'] })
    const flag = join(home.env.MAILROOM_DATA_DIR ?? '', 'fail')
    const service = await startService({
      ...home.env,
      MAILROOM_DNS_SERVERS: dns.address,
      NODE_OPTIONS: `--import ${fileURLToPath(new URL('./fail-disk.ts', import.meta.url))}`,
      FAIL_DISK: flag,
    })
    const senders = new Senders(async () => service.smtp.port, addresses)
    senders.start(5)
    await senders.see(20, 'acknowledged')
    for (const fault of ['ENOSPC', 'EIO']) {
      writeFileSync(flag, fault)
      await senders.see(5, 'refused')
      rmSync(flag)
      await senders.see(20, 'acknowledged')
    }
    await senders.stop()
    assert.deepEqual(await service.end('SIGTERM'), { code: 0, signal: null })

    await using database = await home.open()
    const { lost, unexpected } = check(senders.attempts(), await Array.fromAsync(lettersStored(database.db)))
    assert.deepEqual({ lost, unexpected }, { lost: [], unexpected: [] })
    assert.deepEqual(await discrepancies(database.db), [])
    assert.deepEqual([...senders.refused.keys()].sort(), ['451 4.3.0', '452 4.3.1'])
  })

  test('half a copy of a data directory is not started on, and stays as it is', async () => {
    await using home = await databaseHome()
    const { MAILROOM_DATA_DIR: directory = '' } = home.env
    const cluster = join(directory, 'database')
    for (const missing of ['PG_VERSION', 'global/pg_control', 'pg_wal', 'base']) {
      renameSync(join(cluster, missing), join(cluster, 'elsewhere'))
      const before = readdirSync(cluster, { recursive: true }).length
      await assert.rejects(openDatabase({ directory }), (error: Error) => {
        assert.ok(error.message.includes(`parts of it are missing (${missing}). Nothing was changed.`), error.message)
        return true
      })
      assert.equal(readdirSync(cluster, { recursive: true }).length, before)
      renameSync(join(cluster, 'elsewhere'), join(cluster, missing))
    }
  })

  test('a full disk under the log ends no service', async () => {
    await using home = await databaseHome()
    const full = openSync('/dev/full', 'w')
    const main = join(import.meta.dirname, '../../../bin/mailroom.js')
    const child = spawn(process.execPath, ['--import', sayPorts, main, 'serve', '--bare'], {
      stdio: ['ignore', 'pipe', full],
      env: {
        PATH: process.env.PATH,
        ...home.env,
        PORT: '0',
        MAILROOM_SMTP_PORT: '0',
        MAILROOM_IMAP_PORT: '0',
        LOG_LEVEL: 'trace',
      },
    })
    closeSync(full)
    const ended = once(child, 'exit')
    const port = String(await once(child.stdout ?? assert.fail(), 'data'))
    for (let n = 0; n < 50; n++) assert.ok(await fetch(`http://127.0.0.1:${Number.parseInt(port, 10)}/healthz`))
    child.kill('SIGTERM')
    assert.deepEqual(await ended, [0, null])
  })
}
