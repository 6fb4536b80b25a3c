// On one database: the embedded one.
// `mailroom backup`, taken while mail streams in, as docs/backup.md has it.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { openDatabase } from '#/base/db/open.ts'
import { databaseHome } from '#test/world/database/database.ts'
import { startDnsServer } from '#test/world/dns/dns-server.ts'
import { subjectsAt } from '#test/world/letters/letter.ts'
import { afterFile, directoryOfFile, ofFile } from '#test/world/of-file.ts'
import { storeOrganization } from '#test/world/organization/stored-organization.ts'
import { launchService, mailroom, startService } from '#test/world/service.ts'
import { check } from '../letters/checker.ts'
import { Senders } from '../letters/senders.ts'
import { discrepancies, lettersStored } from '../letters/stored.ts'

const run = promisify(execFile)
const backups = 2

const scratch = directoryOfFile()
const dns = ofFile(await startDnsServer({}))
const home = ofFile(await databaseHome({ embedded: true }))
// The secret goes along where it is in the data directory.
const { MAILROOM_SECRET = '', MAILROOM_DATA_DIR = '' } = home.env
await writeFile(join(MAILROOM_DATA_DIR, 'secret'), MAILROOM_SECRET, { mode: 0o600 })
const organization = await storeOrganization(home, { domain: 'kept.test', mailboxes: ['ada', 'bob', 'cy'] })
const env = { MAILROOM_DATA_DIR, MAILROOM_DNS_SERVERS: dns.address }
const launched = launchService(env)
afterFile(() => launched.process.exitCode ?? launched.end('SIGTERM'))

async function restored(file: string): Promise<string> {
  const directory = join(scratch, `restored-${(await readdir(scratch)).length}`)
  await mkdir(directory, { mode: 0o700 })
  await run('tar', ['--extract', '--file', file, '--directory', directory])
  return directory
}

test('all that was acknowledged before a backup began is in it, whole, however fast mail streams in', async () => {
  const service = await launched.running
  using senders = new Senders(async () => service.smtp.port, organization.addresses)
  senders.start(20)
  const taken: { file: string; acknowledged: string[] }[] = []
  for (let number = 0; number < backups; number++) {
    await senders.see(40, 'acknowledged')
    const file = join(scratch, `${number}.tar`)
    const acknowledged = [...senders.attempts()].filter(([, one]) => one.acknowledged).map(([name]) => name)
    const { code, stderr, stdout } = await mailroom(env, 'backup', file)
    assert.equal(code, 0, stderr)
    assert.match(stdout, /^Backed up to .*\.tar, [\d.]+ MiB\.\n$/)
    taken.push({ file, acknowledged })
  }
  await senders.see(20, 'acknowledged')
  await senders.stop()
  for (const { file, acknowledged } of taken) {
    assert.equal((await stat(file)).mode & 0o777, 0o600)
    const directory = await restored(file)
    await using database = await openDatabase({ directory })
    assert.deepEqual(await discrepancies(database.db), [])
    const stored = await Array.fromAsync(lettersStored(database.db))
    assert.deepEqual(check(senders.attempts(), stored).unexpected, [])
    assert.deepEqual(
      acknowledged.filter((name) => !stored.includes(name)),
      [],
    )
    assert.equal(await readFile(join(directory, 'secret'), 'utf8'), home.env.MAILROOM_SECRET)
  }
  assert.deepEqual(
    (await readdir(scratch)).filter((name) => name.endsWith('.new')),
    [],
  )
})

test('a service starts on a backup, and gives out what is in it', async () => {
  const service = await startService({ ...env, MAILROOM_DATA_DIR: await restored(join(scratch, '0.tar')) })
  assert.ok((await subjectsAt(service, organization)).length > 0)
  await service.end('SIGTERM')
})

test('a file that is there, or cannot be written, is refused, and stays as it was', async () => {
  const file = join(scratch, 'there')
  await writeFile(file, 'mine')
  const over = await mailroom(env, 'backup', file)
  assert.deepEqual([over.code, await readFile(file, 'utf8')], [1, 'mine'])
  assert.match(over.stderr, /already exists/)
  const nowhere = await mailroom(env, 'backup', join(scratch, 'nowhere', 'file'))
  assert.equal(nowhere.code, 1)
  assert.match(nowhere.stderr, /ENOENT|no such file/)
})

test('without a service the command makes the same', async () => {
  await launched.end('SIGTERM')
  const { code, stderr } = await mailroom(env, 'backup', join(scratch, 'alone.tar'))
  assert.equal(code, 0, stderr)
  await using database = await openDatabase({ directory: await restored(join(scratch, 'alone.tar')) })
  assert.deepEqual(await discrepancies(database.db), [])
})
