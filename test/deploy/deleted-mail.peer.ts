// Runs the commands of docs/operations.md on deleted mail literally: no octet is left.
import assert from 'node:assert/strict'
import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { sql } from 'kysely'
import { migrate } from '#/base/db/migrate.ts'
import { type Database, openDatabase } from '#/base/db/open.ts'
import { startPostgres } from '#test/peers/postgres.ts'
import { databaseHome } from '#test/world/database/database.ts'
import { hand } from '#test/world/letters/letter.ts'
import { marked } from '#test/world/observe/marked.ts'
import { databaseDirectory, foundOnDisk, keepPlain, mark } from '#test/world/observe/on-disk.ts'
import { operatorOn, printed } from '#test/world/operator.ts'
import { mailroom } from '#test/world/service.ts'
import { World } from '#test/world/world.ts'
import { documented, follow } from './documented.ts'

test('a deleted mailbox leaves no octet in the files of a PostgreSQL server', async () => {
  const commands = await documented('operations.md', 'vacuum full')
  await using server = await startPostgres()
  await using database = await openDatabase({ url: server.url })
  await migrate(database.pool)
  const directory = await databaseDirectory(database.db)
  const marks = await deletedMailbox(database, directory)
  await follow(commands, { cwd: directory, instead: {}, env: { DATABASE_URL: server.url } })
  await goneAlone(directory, marks)
})

test('a deleted mailbox leaves no octet in a data directory that an export is imported into', async () => {
  await using home = await databaseHome({ embedded: true })
  await using scratch = await mkdtempDisposable(join(tmpdir(), 'mailroom-exported-'))
  const [file, directory] = [join(scratch.path, 'mailroom.export'), join(scratch.path, 'data')]
  const { MAILROOM_DATA_DIR: old = '' } = home.env
  const marks = await home.open().then(async (opened) => {
    await using database = opened
    return await deletedMailbox(database, old)
  })
  for (const [env, ...words] of [
    [home.env, 'export', file],
    [{ ...home.env, MAILROOM_DATA_DIR: directory }, 'import', file],
  ] as const) {
    const { code, stderr } = await mailroom(env, ...words)
    assert.equal(code, 0, stderr)
  }
  await goneAlone(directory, marks)
})

interface Marks {
  readonly gone: string
  readonly kept: string
}

/** Two mailboxes get mail, which is known to the planner's statistics too, and one of them is deleted. */
async function deletedMailbox(database: Database, directory: string): Promise<Marks> {
  await keepPlain(database.db)
  await using world = await World.start({ database })
  const organization = await world.organization()
  const [gone, kept] = [mark(), mark()]
  const [deleted, other] = [await organization.mailbox('deleted'), await organization.mailbox('other')]
  for (let count = 0; count < 20; count++)
    assert.equal(await hand(world, 'ann@peer.example', deleted.address, marked(gone, deleted.address)), '250 2.6.0')
  assert.equal(await hand(world, 'ann@peer.example', other.address, marked(kept, other.address)), '250 2.6.0')
  await sql`analyze`.execute(world.db)
  await sql`checkpoint`.execute(world.db)
  assert.equal((await printed(operatorOn(world), 'mailbox', 'delete', deleted.address)).messages, 20)
  // Until something is done about it.
  assert.notDeepEqual(await foundOnDisk([directory], gone), [])
  return { gone, kept }
}

async function goneAlone(directory: string, { gone, kept }: Marks): Promise<void> {
  const found = await foundOnDisk([directory], gone)
  assert.deepEqual(
    found.map(({ file, form, before }) => [file, form, before.slice(-60)]),
    [],
  )
  assert.notDeepEqual(await foundOnDisk([directory], kept), [])
}
