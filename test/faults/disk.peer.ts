import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, test } from 'node:test'
import type { Database } from '#/db/open.ts'
import { testDatabase } from '../database.ts'
import { hand, letter } from '../peer.ts'
import { World } from '../world.ts'
import { check } from './checker.ts'
import { Senders } from './senders.ts'
import { discrepancies, lettersStored } from './stored.ts'

before(() =>
  assert.equal(process.getuid?.(), 0, 'these tests mount file systems and trace processes, so they need root'),
)

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

/** A service, an organization in it, and senders who do not leave off. */
async function streamingInto(database: Database) {
  const resources = new AsyncDisposableStack()
  const world = resources.use(await World.start({ database }))
  const organization = await world.organization()
  const addresses = [(await organization.mailbox('ada')).address, (await organization.mailbox('bob')).address]
  const senders = new Senders(async () => world.smtp.port, addresses)
  return {
    world,
    organization,
    senders,
    start: () => senders.start(5),
    /** Of a mailbox that is none of theirs. */
    address: (await organization.mailbox('cy')).address,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

async function assertKept(database: Database, senders: Senders): Promise<void> {
  const stored = await Array.fromAsync(lettersStored(database.db))
  const { lost, unexpected } = check(
    senders.attempts(),
    stored.filter((name) => !/ at cy@/.test(name)),
  )
  assert.deepEqual({ lost, unexpected }, { lost: [], unexpected: [] })
  assert.deepEqual(await discrepancies(database.db), [])
}

test('row 39: a full disk under the embedded database, until not even its log has room', async () => {
  await using disk = await smallDisk(180)
  await using database = await testDatabase({ directory: join(disk.directory, 'data') })
  await using service = await streamingInto(database)
  const { world, senders, organization, address } = service
  // To the last pages of a segment of the log, so that the next one is asked for while there is no room.
  for (let left = await logLeft(database); left > 100_000; left = await logLeft(database)) {
    const body = `${'x'.repeat(76)}\r\n`.repeat(Math.min(200_000, left / 4) / 78)
    assert.equal(await hand(world, 'ann@peer.example', address, letter({}, body)), '250 2.6.0')
  }
  disk.fill()
  service.start()
  await senders.see(1, 'refused')
  assert.equal(senders.refused.get('452 4.3.1'), 1)
  while (!senders.refused.has('451 4.3.0')) await organization.request('POST', '/v1/labels', { name: 'No room' })
  assert.equal((await organization.request('POST', '/v1/labels', { name: 'No room' })).status, 500)
  disk.empty()
  await senders.see(50, 'acknowledged')
  await senders.stop()
  assert.equal((await organization.request('POST', '/v1/labels', { name: 'Room' })).status, 201)
  await assertKept(database, senders)
})

/** Octets until the database's log needs another segment. */
async function logLeft({ pool }: Database): Promise<number> {
  const segment = 16 * 2 ** 20
  const { rows } = await pool.query<{ used: number }>(
    `select (pg_current_wal_insert_lsn() - '0/0') % ${segment} as used`,
  )
  return segment - (rows[0]?.used ?? 0)
}
