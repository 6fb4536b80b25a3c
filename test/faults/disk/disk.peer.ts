import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, rmSync, writeSync } from 'node:fs'
import { mkdtemp, rm, watch } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { dataDirectoryFinding } from '#/app/cli/doctor/files.ts'
import { readConfig } from '#/app/config/config.ts'
import { isWhole, keepReserve } from '#/base/db/embedded/reserve.ts'
import { migrate } from '#/base/db/migrate.ts'
import { type Database, openDatabase } from '#/base/db/open.ts'
import { startPostgres } from '#test/peers/postgres.ts'
import { testDatabase } from '#test/world/database/database.ts'
import { insertOrganization } from '#test/world/organization/stored-organization.ts'
import { World } from '#test/world/world.ts'
import { check } from '../letters/checker.ts'
import { Senders } from '../letters/senders.ts'
import { discrepancies, lettersStored } from '../letters/stored.ts'

assert.equal(process.getuid?.(), 0, 'these tests mount file systems and trace processes, so they need root')

/** A disk of so many MiB that can be filled up. */
async function smallDisk(size: number) {
  const directory = await mkdtemp(join(tmpdir(), 'mailroom-disk-'))
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}m,mode=1777`, 'tmpfs', directory])
  const filler = join(directory, 'filler')
  return {
    directory,
    /** Takes all the room that is left. */
    fill() {
      const file = openSync(filler, 'a')
      assert.throws(
        () => {
          for (;;) writeSync(file, Buffer.alloc(4096))
        },
        { code: 'ENOSPC' },
      )
      closeSync(file)
    },
    empty: () => rmSync(filler),
    async [Symbol.asyncDispose]() {
      execFileSync('umount', [directory])
      await rm(directory, { recursive: true })
    },
  }
}

/** A service, and senders that never stop. */
async function streamingInto(database: Database) {
  const world = await World.start({ database })
  const organization = await insertOrganization(database.db, { domain: 'disk.test', mailboxes: ['ada', 'bob'] })
  const senders = new Senders(async () => world.smtp.port, organization.addresses)
  return {
    senders,
    request: (method: string, path: string, body?: unknown) =>
      world.client.request(method, path, { key: organization.key, ...(body !== undefined && { body }) }),
    /** The status of the answer. */
    async label(name: string) {
      const { status } = await world.client.request('POST', '/v1/labels', { key: organization.key, body: { name } })
      return status
    },
    async [Symbol.asyncDispose]() {
      senders[Symbol.dispose]()
      await world[Symbol.asyncDispose]()
    },
  }
}

async function assertKept(database: Database, senders: Senders): Promise<void> {
  const { lost, unexpected } = check(senders.attempts(), await Array.fromAsync(lettersStored(database.db)))
  assert.deepEqual({ lost, unexpected }, { lost: [], unexpected: [] })
  assert.deepEqual(await discrepancies(database.db), [])
}

/** Resolves once mail was deferred with that reply. */
async function putOff(senders: Senders, reply: string): Promise<void> {
  while (!senders.refused.has(reply)) await senders.see(1, 'refused')
}

test('on a full disk the embedded database defers mail with 452, and shows and deletes what it has', async () => {
  await using disk = await smallDisk(300)
  const directory = join(disk.directory, 'data')
  await using database = await testDatabase({ directory, keepsReserve: true })
  const reserve = join(directory, 'database/reserve')
  const made = watch(dirname(reserve))[Symbol.asyncIterator]()
  for (let next = made.next(); !existsSync(reserve); next = made.next()) await next
  await made.return?.()
  await using service = await streamingInto(database)
  const { senders, label, request } = service
  senders.start(5)
  await senders.see(50, 'acknowledged')
  disk.fill()
  await putOff(senders, '452 4.3.1')
  await senders.see(100, 'refused')

  const { data } = (await request('GET', '/v1/messages?mailbox=ada@disk.test&limit=50')).body
  assert.ok(data.length > 0)
  for (const { uid } of data) {
    assert.equal((await request('GET', `/v1/messages/${uid}/raw?mailbox=ada@disk.test`)).status, 200)
    const read = await request('PATCH', `/v1/messages/${uid}?mailbox=ada@disk.test`, { starred: true })
    assert.equal(read.status, 200)
  }
  const uids = data.map(({ uid }: { uid: number }) => uid)
  const deleted = await request('DELETE', '/v1/messages?mailbox=ada@disk.test', { uids })
  assert.deepEqual(deleted.body?.deleted?.length, uids.length)
  const found = await dataDirectoryFinding(readConfig({ MAILROOM_DATA_DIR: directory }))
  assert.equal(found.state, 'problem')
  assert.match(found.found, new RegExp(`on the disk tmpfs, mounted at ${disk.directory}; the disk is full`))

  disk.empty()
  // The database does so too now and then, and who comes second finds it whole.
  const kept = join(directory, 'database')
  await keepReserve(kept).catch(async (error) => assert.ok(await isWhole(kept), error))
  await senders.see(50, 'acknowledged')
  await senders.stop()
  assert.equal(await label('Room'), 201)
  assert.deepEqual([...senders.refused.keys()], ['452 4.3.1'])
})

test('a full disk under the embedded database, until not even its log has room', async () => {
  await using disk = await smallDisk(180)
  await using database = await testDatabase({ directory: join(disk.directory, 'data') })
  await using service = await streamingInto(database)
  const { senders, label } = service
  disk.fill()
  senders.start(5)
  await putOff(senders, '452 4.3.1')
  await assert.rejects(async () => {
    for (;;) await database.pool.query("select pg_logical_emit_message(true, '', repeat('x', 100000))")
  })
  await senders.see(20, 'refused')
  assert.equal(await label('No room'), 500)
  disk.empty()
  await senders.see(50, 'acknowledged')
  await senders.stop()
  assert.equal(await label('Room'), 201)
  await assertKept(database, senders)
})

test('a full disk under a PostgreSQL server', async () => {
  await using disk = await smallDisk(180)
  await using server = await startPostgres({}, disk.directory)
  await using database = await openDatabase({ url: server.url })
  await migrate(database.pool)
  await using service = await streamingInto(database)
  const { senders, label } = service
  senders.start(5)
  await senders.see(20, 'acknowledged')
  disk.fill()
  await putOff(senders, '452 4.3.1')
  disk.empty()
  await senders.see(50, 'acknowledged')
  await senders.stop()
  assert.equal(await label('Room'), 201)
  assert.deepEqual([...senders.refused.keys()], ['452 4.3.1'])
  await assertKept(database, senders)
})

test('a disk under a PostgreSQL server whose fsync fails', async () => {
  await using server = await startPostgres()
  await using database = await openDatabase({ url: server.url })
  await migrate(database.pool)
  await using service = await streamingInto(database)
  const { senders, label } = service
  senders.start(5)
  await senders.see(20, 'acknowledged')
  {
    // Each process that there is fails, also one that a new connection brings; those that the server starts after its panic can sync.
    await using failed = new AsyncDisposableStack()
    const known = new Set<number>()
    while (senders.refused.size === 0) {
      const pids = (await backends(database)).filter((pid) => !known.has(pid))
      if (pids.length > 0) failed.use(await failing('fdatasync', pids))
      for (const pid of pids) known.add(pid)
      await senders.see(1, 'answered')
    }
  }
  await senders.see(50, 'acknowledged')
  await senders.stop()
  assert.equal(await label('Safe'), 201)
  assert.deepEqual([...senders.refused.keys()], ['451 4.3.0'])
  await assertKept(database, senders)
})

/** The processes of connections. None if the server has panicked. */
async function backends({ pool }: Database): Promise<number[]> {
  const query = "select pid from pg_stat_activity where backend_type = 'client backend'"
  const { rows } = await pool.query<{ pid: number }>(query).catch(() => ({ rows: [] }))
  return rows.map(({ pid }) => pid)
}

/** Makes a system call of these processes fail with EIO until it is disposed of, or none of them is left. */
async function failing(call: string, processes: readonly number[]): Promise<AsyncDisposable> {
  const parameters = ['-f', '-qq', '-o', '/dev/null', '-e', `trace=${call}`, '-e', `inject=${call}:error=EIO`]
  const tracer = spawn('strace', [...parameters, ...processes.flatMap((id) => ['-p', String(id)])], { stdio: 'ignore' })
  await once(tracer, 'spawn')
  const ended = once(tracer, 'exit')
  return {
    async [Symbol.asyncDispose]() {
      tracer.kill('SIGINT')
      await ended
    },
  }
}
