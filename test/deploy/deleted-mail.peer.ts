import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { migrate } from '#/db/migrate.ts'
import { type Database, openDatabase } from '#/db/open.ts'
import { databaseDirectory, foundOnDisk, keepPlain, mark } from '../on-disk.ts'
import { operatorOn, printed } from '../operator.ts'
import { hand } from '../peer.ts'
import { startPostgres } from '../postgres.ts'
import { marked } from '../private-on-disk.ts'
import { World } from '../world.ts'
import { documented, follow } from './documented.ts'

const commands = await documented('operations.md', 'vacuum full')

test('a deleted mailbox leaves no octet in the files of a PostgreSQL server, by the commands of docs/operations.md', async () => {
  await using server = await startPostgres()
  await using database = await openDatabase({ url: server.url })
  await migrate(database.pool)
  const directory = await databaseDirectory(database.db)
  await deletedAndGone(database, directory, () =>
    follow(commands, { cwd: directory, instead: {}, env: { DATABASE_URL: server.url } }),
  )
})

/** Mail comes, is known to the planner's statistics too, and its mailbox is deleted; then `clean` is done. */
async function deletedAndGone(database: Database, directory: string, clean: () => Promise<void>): Promise<void> {
  await keepPlain(database.db)
  await using world = await World.start({ database })
  const organization = await world.organization()
  const [one, kept] = [mark(), mark()]
  const [deleted, other] = [await organization.mailbox('deleted'), await organization.mailbox('other')]
  for (let count = 0; count < 20; count++)
    assert.equal(await hand(world, 'ann@peer.example', deleted.address, marked(one, deleted.address)), '250 2.6.0')
  assert.equal(await hand(world, 'ann@peer.example', other.address, marked(kept, other.address)), '250 2.6.0')
  await sql`analyze`.execute(world.db)
  await sql`checkpoint`.execute(world.db)
  assert.notDeepEqual(await foundOnDisk([directory], one), [])
  assert.equal((await printed(operatorOn(world), 'mailbox', 'delete', deleted.address)).messages, 20)
  await clean()
  const found = await foundOnDisk([directory], one)
  assert.deepEqual(
    found.map(({ file, form, before }) => [file, form, before.slice(-60)]),
    [],
  )
  assert.notDeepEqual(await foundOnDisk([directory], kept), [])
}
