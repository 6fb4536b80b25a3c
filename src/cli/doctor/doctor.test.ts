import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createServer as createTlsServer } from 'node:tls'
import { sql } from 'kysely'
import { readConfig } from '#/config/config.ts'
import type { TryRelay } from '#/ports/relay-trial.ts'
import { tryMailServer, tryRelay } from '#/server/adapters.ts'
import { testCertificate } from '#test/sockets/certificate.ts'
import { freePort } from '#test/sockets/free-port.ts'
import { Sink } from '#test/sockets/sink.ts'
import { testDatabase } from '#test/world/database/database.ts'
import type { Answer } from '../command.ts'
import { diagnose, misconfigured } from './doctor.ts'
import type { Finding } from './finding.ts'
import { answersEverywhere } from './ports.ts'

const scratch = mkdtempSync(join(tmpdir(), 'mailroom-doctor-'))
after(() => rm(scratch, { recursive: true }))

/** The ports of the Internet are not those of this machine: another test looks at what is found there. */
const tryOrNot: TryRelay = async (server, name) => (server.address ? { ended: 'well' } : tryRelay(server, name))
const outside = { tryMailServer, tryRelay: tryOrNot, serverControl: undefined }

/** A configuration under which nothing is found but what a test is about. */
function configured(env: Record<string, string> = {}) {
  return readConfig({ MAILROOM_DATA_DIR: scratch, PORT: '0', MAILROOM_SMTP_PORT: '0', ...env })
}

function findingsOf({ value }: Answer): Record<string, Finding> {
  const { findings } = value as { findings: Finding[] }
  return Object.fromEntries(findings.map((finding) => [finding.check, finding]))
}

async function examine(env: Record<string, string> = {}): Promise<Record<string, Finding>> {
  return findingsOf(await diagnose(configured(env), 'missing', outside))
}

async function listening(server: Server): Promise<AsyncDisposable & { port: string }> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const close = async () => {
    server.close()
    await once(server, 'close')
  }
  return { port: String(port), [Symbol.asyncDispose]: close }
}

function greet(socket: Socket): void {
  socket.on('error', () => {}).resume()
  socket.end('220 mx.mailroom.test ESMTP\r\n')
}

test('with a working database there is no problem, and the exit code is 0', async () => {
  await using database = await testDatabase()
  const answer = await diagnose(configured(), { database }, outside)
  const found = findingsOf(answer)
  for (const check of ['database', 'migrations', 'clock', 'mail host'])
    assert.equal(found[check]?.state, 'ok', `${check}: ${found[check]?.found}`)
  assert.match(found.database?.found ?? '', /^PostgreSQL \d+/)
  assert.equal(answer.exitCode, 0)
  assert.match(answer.text, /^STATE {4}CHECK {11}FOUND\nok {7}configuration/)
})

test('an unreachable mail server is a problem, and its password is not shown', async () => {
  await using database = await testDatabase()
  const config = configured({ MAILROOM_IMAP_URL: 'imap://mailroom:hunter2@127.0.0.1:1' })
  const answer = await diagnose(config, { database }, outside)
  const found = findingsOf(answer)['mail host']
  assert.deepEqual([found?.state, answer.exitCode], ['problem', 1])
  assert.match(found?.found ?? '', /^127\.0\.0\.1:1: /)
  assert.match(answer.text, /mail host: Check that the server of MAILROOM_IMAP_URL runs/)
  assert.ok(!JSON.stringify(answer).includes('hunter2'))
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
    /has migration 004-mail-host\.sql but not 003-rules\.sql/,
    /version of Mailroom that made/,
  ],
  [
    'has one that was changed since',
    sql`update schema_migrations set checksum = 'other' where name like '003-%'`,
    'problem',
    /003-rules\.sql was changed after/,
    /Put back 003-rules\.sql/,
  ],
  [
    'was made by a newer version',
    sql`insert into schema_migrations (name, checksum) values ('999-newer.sql', '')`,
    'problem',
    /999-newer\.sql.* made by a newer one/,
    /Start that version/,
  ],
] as const) {
  test(`a database that ${what} is a ${state}, and the finding says what to do`, async () => {
    await using database = await testDatabase()
    await change.execute(database.db)
    const answer = await diagnose(configured(), { database }, outside)
    const { migrations } = findingsOf(answer)
    assert.deepEqual([migrations?.state, answer.exitCode], [state, state === 'problem' ? 1 : 0])
    assert.match(migrations?.found ?? '', found)
    assert.match(migrations?.fix ?? '', fix)
  })
}

test('a database that cannot be opened is a problem, the exit code is 1, and the rest is still checked', async () => {
  const config = configured({ DATABASE_URL: 'postgres://user:hunter2@127.0.0.1:1/x' })
  const answer = await diagnose(config, { failure: 'connect ECONNREFUSED 127.0.0.1:1' }, outside)
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

test('a variable without effect is a warning', async () => {
  const { configuration } = await examine({ MAILROOM_SMPT_PORT: '25' })
  assert.equal(configuration?.state, 'warning')
  assert.match(configuration?.found ?? '', /did you mean MAILROOM_SMTP_PORT/)
})

test('an address that mail is to leave from is one of this machine', async () => {
  const addresses = (text: string) => examine({ MAILROOM_OUTBOUND_ADDRESSES: text })
  assert.equal((await addresses('127.0.0.1'))['outbound address']?.state, 'ok')
  const { state, found, fix } = (await addresses('192.0.2.1'))['outbound address'] ?? {}
  assert.deepEqual([state, found], ['problem', '192.0.2.1 is not an address of this machine'])
  assert.match(fix ?? '', /^Set MAILROOM_OUTBOUND_ADDRESSES/)
})

test('free ports are ok', async () => {
  const [http, smtp] = [await listening(createServer()), await listening(createServer())]
  await http[Symbol.asyncDispose]()
  await smtp[Symbol.asyncDispose]()
  const found = await examine({ PORT: http.port, MAILROOM_SMTP_PORT: smtp.port })
  assert.match(found['HTTP port']?.found ?? '', /is free$/)
  assert.match(found['SMTP port']?.found ?? '', /is free$/)
})

test('ports on which Mailroom answers are ok; ports of other programs are not', async () => {
  const alive = createHttpServer((_request, response) => response.end('{"status":"alive"}'))
  await using http = await listening(alive)
  await using smtp = await listening(createServer(greet))
  const env = { PORT: http.port, MAILROOM_SMTP_PORT: smtp.port }
  const ours = await examine({ ...env, MAILROOM_HOSTNAME: 'mx.mailroom.test' })
  assert.deepEqual([ours['HTTP port']?.state, ours['SMTP port']?.state], ['ok', 'ok'])
  assert.match(ours['SMTP port']?.found ?? '', /^Mailroom answers on /)
  const others = await examine({ PORT: smtp.port, MAILROOM_SMTP_PORT: http.port })
  assert.deepEqual([others['HTTP port']?.state, others['SMTP port']?.state], ['problem', 'problem'])
  assert.match(others['HTTP port']?.fix ?? '', /^Stop it, or set PORT to another port$/)
  alive.closeAllConnections()
})

test('a process is healthy that answers wherever its roles listen', async () => {
  await using smtp = await listening(createServer(greet))
  const free = await listening(createServer())
  await free[Symbol.asyncDispose]()
  const env = { HOST: '0.0.0.0', MAILROOM_HOSTNAME: 'mx.mailroom.test', MAILROOM_SMTP_PORT: smtp.port, PORT: free.port }
  assert.equal(await answersEverywhere(configured({ ...env, MAILROOM_ROLES: 'mx,worker' })), true)
  assert.equal(await answersEverywhere(configured({ ...env, MAILROOM_ROLES: 'api,mx' })), false)
  assert.equal(await answersEverywhere(configured({ ...env, MAILROOM_HOSTNAME: 'other.test' })), false)
})

test('an address that is not ours cannot be listened on', async () => {
  const found = await examine({ HOST: '192.0.2.1', PORT: '8080' })
  assert.equal(found['HTTP port']?.state, 'problem')
  assert.match(found['HTTP port']?.fix ?? '', /^Set HOST/)
})

test('only the ports of the roles are checked', async () => {
  const found = await examine({ MAILROOM_ROLES: 'worker' })
  assert.deepEqual([found['HTTP port'], found['SMTP port']], [undefined, undefined])
})

for (const [what, name, state, words] of [
  ['has an address', 'mx.mailroom.test', 'ok', /^mx\.mailroom\.test is 192\.0\.2\.25$/],
  ['does not exist', 'absent.mailroom.test', 'problem', /has no address in DNS$/],
  ['cannot be looked up', 'broken.mailroom.test', 'problem', /could not be looked up: ESERVFAIL$/],
  ['is not set', '', 'warning', /"localhost" does not exist for other mail servers/],
] as const) {
  test(`a host name that ${what} is ${state === 'ok' ? 'ok' : `a ${state}`}`, async () => {
    await using dns = await nameServer()
    const found = await examine({ MAILROOM_HOSTNAME: name, MAILROOM_DNS_SERVERS: `127.0.0.1:${dns.port}` })
    assert.equal(found['host name']?.state, state)
    assert.match(found['host name']?.found ?? '', words)
    assert.equal(found['mail from outside']?.state, state === 'ok' ? 'ok' : undefined)
  })
}

/** A name server (RFC 1035, section 4.1) that has an address for mx.…, fails for broken.…, and knows no other name. */
async function nameServer(): Promise<AsyncDisposable & { port: number }> {
  const socket = createSocket('udp4')
  socket.on('message', (query, peer) => {
    const [first, type] = [
      query.toString('latin1', 13, 13 + (query[12] ?? 0)),
      query.readUInt16BE(query.indexOf(0, 12) + 1),
    ]
    const question = query.subarray(12, query.indexOf(0, 12) + 5)
    const found = first === 'mx' && type === 1
    const code = first === 'broken' ? 2 : first === 'mx' ? 0 : 3
    const header = Buffer.from([query[0] ?? 0, query[1] ?? 0, 0x81, 0x80 | code, 0, 1, 0, found ? 1 : 0, 0, 0, 0, 0])
    const answer = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 25])
    socket.send(Buffer.concat([header, question, ...(found ? [answer] : [])]), peer.port, peer.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const close = async () => {
    socket.close()
    await once(socket, 'close')
  }
  return { port: socket.address().port, [Symbol.asyncDispose]: close }
}

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

test('submission ports are ok if Mailroom answers, and a problem if another program does', async () => {
  const [cert, key] = [join(scratch, 'submission.pem'), join(scratch, 'submission.key')]
  writeFileSync(cert, testCertificate.cert)
  writeFileSync(key, testCertificate.key)
  await using starttls = await listening(createServer(greet))
  await using tls = await listening(createTlsServer(testCertificate, greet))
  const env = { MAILROOM_TLS_CERT: cert, MAILROOM_TLS_KEY: key, MAILROOM_HOSTNAME: 'mx.mailroom.test' }
  const right = { MAILROOM_SUBMISSION_PORT: starttls.port, MAILROOM_SUBMISSION_TLS_PORT: tls.port }
  const well = await examine({ ...env, ...right, MAILROOM_DNS_SERVERS: '127.0.0.1:1' })
  assert.deepEqual([well['submission port']?.state, well['submission port (TLS)']?.state], ['ok', 'ok'])
  assert.match(well['submission port (TLS)']?.found ?? '', /^Mailroom answers on /)
  const crossed = { MAILROOM_SUBMISSION_PORT: tls.port, MAILROOM_SUBMISSION_TLS_PORT: starttls.port }
  const wrong = await examine({ ...env, ...crossed, MAILROOM_DNS_SERVERS: '127.0.0.1:1' })
  assert.deepEqual([wrong['submission port']?.state, wrong['submission port (TLS)']?.state], ['problem', 'problem'])
})

test('a missing data directory is created later; a file in its place is a problem', async () => {
  const absent = await examine({ MAILROOM_DATA_DIR: join(scratch, 'absent') })
  assert.equal(absent['data directory']?.state, 'ok')
  const file = join(scratch, 'file')
  writeFileSync(file, '')
  const wrong = await examine({ MAILROOM_DATA_DIR: file })
  assert.match(wrong['data directory']?.found ?? '', /is not a directory$/)
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
  const answer = await diagnose({ ...config, dataDir, namesDatabase: false }, 'missing', outside)
  const { database } = findingsOf(answer)
  assert.equal(database?.state, 'warning')
  assert.equal(
    database?.found,
    `neither DATABASE_URL nor MAILROOM_DATA_DIR is set, and there is no database in ${dataDir}`,
  )
})
