import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { sql } from 'kysely'
import { readConfig } from '#/app/config/config.ts'
import { tryRelay } from '#/app/server/open-outside.ts'
import type { TryRelay } from '#/out/relay/relay-trial.ts'
import { testDatabase } from '#test/world/database/database.ts'
import { startDnsServer } from '#test/world/dns/dns-server.ts'
import { directoryOfFile } from '#test/world/of-file.ts'
import { freePort } from '#test/world/sockets/free-port.ts'
import { Sink } from '#test/world/sockets/sink.ts'
import type { Answer } from '../command.ts'
import { diagnose, misconfigured } from './doctor.ts'
import type { Finding } from './finding.ts'

const scratch = directoryOfFile()

/** The ports of the Internet are not those of this machine: another test looks at what is found there. */
const tryOrNot: TryRelay = async (server, name) => (server.address ? { ended: 'well' } : tryRelay(server, name))

/** A configuration under which nothing is found but what a test is about. */
function configured(env: Record<string, string> = {}) {
  return readConfig({ MAILROOM_DATA_DIR: scratch, PORT: '0', MAILROOM_SMTP_PORT: '0', MAILROOM_IMAP_PORT: '0', ...env })
}

function findingsOf({ value }: Answer): Record<string, Finding> {
  const { findings } = value as { findings: Finding[] }
  return Object.fromEntries(findings.map((finding) => [finding.check, finding]))
}

async function examine(env: Record<string, string> = {}): Promise<Record<string, Finding>> {
  return findingsOf(await diagnose(configured(env), 'missing', tryOrNot))
}

test('with a working database there is no problem, and the exit code is 0', async () => {
  await using database = await testDatabase()
  const answer = await diagnose(configured(), { database }, tryOrNot)
  const found = findingsOf(answer)
  for (const check of ['database', 'migrations', 'clock'])
    assert.equal(found[check]?.state, 'ok', `${check}: ${found[check]?.found}`)
  assert.match(found.database?.found ?? '', /^PostgreSQL \d+/)
  assert.equal(answer.exitCode, 0)
  assert.match(answer.text, /^STATE {4}CHECK {11}FOUND\nok {7}configuration/)
})

const lastMigration = sql`(select max(name) from schema_migrations)`

for (const [what, change, state, found, fix] of [
  [
    'lacks the last migration',
    sql`delete from schema_migrations where name = ${lastMigration}`,
    'warning',
    /^not applied yet: \d{3}-[^,]*\.sql$/,
    /mailroom migrate/,
  ],
  [
    'lacks one between others',
    sql`delete from schema_migrations where name like '003-%'`,
    'problem',
    /has migration 004-keys\.sql but not 003-members\.sql/,
    /version of Mailroom that made/,
  ],
  [
    'has one that was changed since',
    sql`update schema_migrations set checksum = 'other' where name like '003-%'`,
    'problem',
    /003-members\.sql was changed after/,
    /Put back 003-members\.sql/,
  ],
  [
    'was made by a newer version',
    sql`insert into schema_migrations (name, checksum) values ('999-newer.sql', '')`,
    'problem',
    /999-newer\.sql.* made by a newer one/,
    /Start that version/,
  ],
  [
    'was made before 0.9.0',
    sql`update schema_migrations set name = '001-organizations.sql' where name like '001-%'`,
    'problem',
    /made by a version of Mailroom before 0\.9\.0/,
    /`mailroom export FILE` with the last version before 0\.9\.0, then `mailroom import FILE` with this one/,
  ],
] as const)
  test(`a database that ${what} is a ${state}, and the finding says what to do`, async () => {
    await using database = await testDatabase()
    await change.execute(database.db)
    const answer = await diagnose(configured(), { database }, tryOrNot)
    const { migrations } = findingsOf(answer)
    assert.deepEqual([migrations?.state, answer.exitCode], [state, state === 'problem' ? 1 : 0])
    assert.match(migrations?.found ?? '', found)
    assert.match(migrations?.fix ?? '', fix)
  })

test('a database that cannot be opened is a problem, the exit code is 1, and the rest is still checked', async () => {
  const config = configured({ DATABASE_URL: 'postgres://user:hunter2@127.0.0.1:1/x' })
  const answer = await diagnose(config, { failure: 'connect ECONNREFUSED 127.0.0.1:1' }, tryOrNot)
  assert.equal(answer.exitCode, 1)
  assert.equal(findingsOf(answer).database?.state, 'problem')
  assert.match(answer.text, /database: Check that the server of DATABASE_URL runs/)
  assert.ok(findingsOf(answer)['HTTP port'])
  assert.ok(!JSON.stringify(answer).includes('hunter2'))
})

test('every problem of an unusable configuration is a finding', () => {
  const answer = misconfigured(['PORT is "x": set it to a port', 'LOG_LEVEL is "y"'])
  assert.equal(answer.exitCode, 1)
  assert.match(answer.text, /problem {2}configuration {2}PORT is "x"/)
})

const file = join(scratch, 'file')
writeFileSync(file, '')

for (const [what, env, check, state, words] of [
  ['a variable without effect', { MAILROOM_SMPT_PORT: '25' }, 'configuration', 'warning', /mean MAILROOM_SMTP_PORT/],
  ['an address of this machine', { MAILROOM_OUTBOUND_ADDRESSES: '127.0.0.1' }, 'outbound address', 'ok', /./],
  [
    'an address of another one',
    { MAILROOM_OUTBOUND_ADDRESSES: '192.0.2.1' },
    'outbound address',
    'problem',
    /^192\.0\.2\.1 is not an address of this machine: Set MAILROOM_OUTBOUND_ADDRESSES/,
  ],
  ['an address to listen at, not ours', { HOST: '192.0.2.1', PORT: '8080' }, 'HTTP port', 'problem', /: Set HOST/],
  ['the HTTP port of other roles', { MAILROOM_ROLES: 'worker' }, 'HTTP port', undefined, /^/],
  ['the SMTP port of other roles', { MAILROOM_ROLES: 'worker' }, 'SMTP port', undefined, /^/],
  ['a data directory to come', { MAILROOM_DATA_DIR: join(scratch, 'absent') }, 'data directory', 'ok', /./],
  ['a file in its place', { MAILROOM_DATA_DIR: file }, 'data directory', 'problem', /is not a directory/],
] as const)
  test(`the doctor finds of ${what}: ${state ?? 'nothing'}`, async () => {
    const found = (await examine(env))[check]
    assert.equal(found?.state, state)
    assert.match(`${found?.found}: ${found?.fix}`, words)
  })

for (const [what, name, state, words] of [
  ['has an address', 'mx.mailroom.test', 'ok', /^mx\.mailroom\.test is 192\.0\.2\.25$/],
  ['does not exist', 'absent.mailroom.test', 'problem', /has no address in DNS$/],
  ['cannot be looked up', 'broken.mailroom.test', 'problem', /could not be looked up: ESERVFAIL$/],
  ['is not set', '', 'warning', /"localhost" does not exist for other mail servers/],
] as const)
  test(`a host name that ${what} is ${state === 'ok' ? 'ok' : `a ${state}`}`, async () => {
    const zone = { 'mx.mailroom.test': { a: ['192.0.2.25'] }, 'broken.mailroom.test': { fails: 'servfail' } } as const
    await using dns = await startDnsServer(zone)
    const found = await examine({ MAILROOM_HOSTNAME: name, MAILROOM_DNS_SERVERS: dns.address })
    assert.equal(found['host name']?.state, state)
    assert.match(found['host name']?.found ?? '', words)
    assert.equal(found['mail from outside']?.state, state === 'ok' ? 'ok' : undefined)
  })

test('a secret that others can read is a problem, a data directory that others can read a warning', async () => {
  const directory = join(scratch, 'open')
  mkdirSync(directory, { mode: 0o755 })
  writeFileSync(join(directory, 'secret'), 'x'.repeat(64), { mode: 0o644 })
  const found = await examine({ MAILROOM_DATA_DIR: directory })
  assert.equal(found['data directory']?.fix, `chmod 700 ${directory}`)
  assert.deepEqual([found.secret?.state, found.secret?.fix], ['problem', `chmod 600 ${join(directory, 'secret')}`])
  chmodSync(directory, 0o700)
  chmodSync(join(directory, 'secret'), 0o600)
  const mended = await examine({ MAILROOM_DATA_DIR: directory })
  assert.deepEqual([mended['data directory']?.state, mended.secret?.state], ['ok', 'ok'])
})

test('a relay that is unreachable, or refuses the login, is a problem, and its password is not shown', async () => {
  await using relay = await Sink.start({ login: { user: 'ann', password: 'hunter2' } })
  const url = (password: string, port = relay.port) => `smtp://ann:${password}@127.0.0.1:${port}?starttls=never`
  assert.equal((await examine()).relay, undefined)
  const well = await examine({ MAILROOM_RELAY_URL: url('hunter2') })
  assert.deepEqual([well.relay?.state, well.relay?.found], ['ok', `127.0.0.1:${relay.port} accepts the login`])
  const refused = await examine({ MAILROOM_RELAY_URL: url('hunter3') })
  assert.equal(refused.relay?.state, 'problem')
  assert.match(refused.relay?.found ?? '', /refuses the login: 127\.0\.0\.1 refused our login: 535/)
  const absent = await examine({ MAILROOM_RELAY_URL: url('hunter3', await freePort()) })
  assert.equal(absent.relay?.state, 'problem')
  assert.match(absent.relay?.fix ?? '', /^Check that the server of MAILROOM_RELAY_URL runs/)
  assert.ok(!JSON.stringify([well, refused, absent]).includes('hunter'))
})

test('without the settings of a service there is no database, which is a warning', async () => {
  const { dataDir, ...config } = configured()
  const answer = await diagnose({ ...config, dataDir, namesDatabase: false }, 'missing', tryOrNot)
  const { database } = findingsOf(answer)
  assert.equal(database?.state, 'warning')
  const nothing = 'neither DATABASE_URL nor MAILROOM_DATA_DIR is set, and there is no database in'
  assert.equal(database?.found, `${nothing} ${dataDir}`)
})
