import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { databaseHome } from '#test/world/database.ts'
import { mailroom, type Service, startService } from '#test/world/service.ts'

const scratch = mkdtempSync(join(tmpdir(), 'mailroom-operator-'))
after(() => rm(scratch, { recursive: true }))

async function json(env: Readonly<Record<string, string>>, ...argv: readonly string[]) {
  const { stdout, stderr, code } = await mailroom(env, ...argv, '--json')
  assert.deepEqual({ stderr, code }, { stderr: '', code: 0 })
  return JSON.parse(stdout)
}

/** A server that is killed at the end where the test does not end it. */
async function started(env: Readonly<Record<string, string>>, resources: AsyncDisposableStack): Promise<Service> {
  const server = await startService(env)
  resources.defer(async () => {
    if (server.process.exitCode === null && server.process.signalCode === null) await server.end('SIGKILL')
  })
  return server
}

async function statusWith(server: Service, key: string): Promise<number> {
  const response = await fetch(`${server.http}/v1/usage`, { headers: { Authorization: `Bearer ${key}` } })
  await response.body?.cancel()
  return response.status
}

test('commands work without a server, beside one, after it was killed and beside the next one', async () => {
  await using resources = new AsyncDisposableStack()
  const { env } = resources.use(await databaseHome())
  const socket = join(env.MAILROOM_DATA_DIR ?? '', 'control.sock')
  const acme = await json(env, 'org', 'create', 'Acme')

  const server = await started(env, resources)
  assert.equal(existsSync(socket), env.DATABASE_URL === undefined)
  const [made, second] = await Promise.all([
    json(env, 'key', 'create', '--org', 'acme', '--scopes', 'usage:read'),
    json(env, 'org', 'create', 'Second'),
  ])
  assert.equal(await statusWith(server, made.key), 200)
  assert.ok(!server.written().includes(made.key), 'the key is not in the log')
  const refused = await mailroom(env, 'key', 'list', '--org', 'nope')
  assert.deepEqual(refused, {
    stdout: '',
    stderr: 'mailroom: No organization named "nope"; there are: Acme, Second\n',
    code: 1,
  })

  await server.end('SIGKILL')
  assert.deepEqual(await json(env, 'org', 'list'), { data: [acme, second] })

  const next = await started(env, resources)
  assert.equal(await statusWith(next, made.key), 200)
  assert.equal((await json(env, 'key', 'revoke', made.id)).already_revoked, false)
  const revoked = performance.now()
  while ((await statusWith(next, made.key)) === 200) {
    assert.ok(performance.now() - revoked < 5_000, 'refused within five seconds')
    await setTimeout(100)
  }
  assert.equal(await statusWith(next, made.key), 401)
  assert.equal((await json(env, 'doctor')).healthy, true)

  assert.deepEqual(await next.end('SIGTERM'), { code: 0, signal: null })
  assert.ok(!existsSync(socket))
})

test('commands that start at once without a server take turns', async () => {
  await using resources = new AsyncDisposableStack()
  const { env } = resources.use(await databaseHome())
  const names = ['One', 'Three', 'Two']
  await Promise.all(names.map((name) => json(env, 'org', 'create', name)))
  const { data } = await json(env, 'org', 'list')
  assert.deepEqual(
    data.map(({ name }: { name: string }) => name),
    names,
  )
})

test('SIGINT stops the server within ten seconds, although clients stay connected', async () => {
  await using resources = new AsyncDisposableStack()
  const { env } = resources.use(await databaseHome())
  const server = await started(env, resources)
  const clients = [new URL(server.http), server.smtp].map((at) => {
    const host = 'hostname' in at ? at.hostname : at.host
    return connect({ host, port: Number(at.port) }).on('error', () => {})
  })
  await Promise.all(clients.map((client) => once(client, 'connect')))
  const asked = performance.now()
  assert.deepEqual(await server.end('SIGINT'), { code: 0, signal: null })
  assert.ok(performance.now() - asked < 10_000)
})

test('a second signal ends the server at once, whatever is in hand', async () => {
  await using resources = new AsyncDisposableStack()
  const { env } = resources.use(await databaseHome())
  await json(env, 'org', 'create', 'Acme')
  const { key } = await json(env, 'key', 'create', '--org', 'Acme', '--scopes', 'all')
  const server = await started(env, resources)
  await requestInHand(server, key)
  server.process.kill('SIGTERM')
  assert.deepEqual(await server.end('SIGINT'), { code: 1, signal: null })
  assert.match(server.written(), /a second time: not everything in hand was finished/)
})

/** Begins a request that the server waits for the rest of. */
async function requestInHand({ http }: Service, key: string): Promise<void> {
  const { hostname, port } = new URL(http)
  const client = connect({ host: hostname, port: Number(port) }).on('error', () => {})
  client.write(
    `POST /v1/labels HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${key}\r\n` +
      'Content-Type: application/json\r\nContent-Length: 20\r\nExpect: 100-continue\r\n\r\n{',
  )
  const [answer] = await once(client, 'data')
  assert.match(String(answer), /^HTTP\/1\.1 100 /)
}

test('a port that is taken ends the start with a sentence, and the doctor says what to do', async () => {
  await using resources = new AsyncDisposableStack()
  const { env } = resources.use(await databaseHome())
  const other = createServer((socket) => socket.destroy())
  await once(other.listen(0, '127.0.0.1'), 'listening')
  resources.defer(() => void other.close())
  const address = other.address()
  const taken = { ...env, PORT: String(typeof address === 'object' && address?.port), MAILROOM_SMTP_PORT: '0' }
  const ended = await mailroom(taken, 'serve', '--bare')
  assert.equal(ended.code, 1)
  assert.match(ended.stderr, /EADDRINUSE/)
  const { code, stdout } = await mailroom(taken, 'doctor')
  assert.equal(code, 1)
  assert.match(stdout, /HTTP port: Stop it, or set PORT to another port\./)
})

for (const [what, env, argv, expected] of [
  ['no command', {}, [], { code: 2, stderr: /^Usage: mailroom COMMAND/ }],
  ['--version', {}, ['--version'], { code: 0, stdout: /^\d+\.\d+\.\d+\n$/ }],
  ['help', {}, ['help'], { code: 0, stdout: /^Usage: mailroom COMMAND/ }],
  ['help for one', { PORT: 'x' }, ['help', 'key', 'create'], { code: 0, stdout: /^Usage: mailroom key create --org/ }],
  ['help for serve', {}, ['serve', '--help'], { code: 0, stdout: /^Usage: mailroom serve / }],
  ['an unknown command', {}, ['ogr'], { code: 2, stderr: /^mailroom: Unknown command "ogr"/ }],
  ['unknown roles', {}, ['serve', '--roles', 'smtp'], { code: 2, stderr: /^mailroom: --roles takes one or more/ }],
  ['an unknown option of serve', {}, ['serve', '--port=1'], { code: 2, stderr: /Usage: mailroom serve/ }],
  [
    'a configuration with two problems',
    { PORT: 'x', LOG_LEVEL: 'y' },
    ['serve'],
    { code: 1, stderr: /^mailroom: the configuration cannot be used:\n {2}PORT is "x".*\n {2}LOG_LEVEL is "y"/ },
  ],
  [
    'the doctor on such a configuration',
    { PORT: 'x', LOG_LEVEL: 'y' },
    ['doctor', '--json'],
    { code: 1, stdout: /"healthy": false[\s\S]*PORT is[\s\S]*LOG_LEVEL is/ },
  ],
  [
    'a database that does not answer',
    { DATABASE_URL: 'postgres://user:hunter2@127.0.0.1:1/x' },
    ['org', 'list'],
    { code: 1, stderr: /^mailroom: connect ECONNREFUSED 127\.0\.0\.1:1\n$/ },
  ],
  [
    'the doctor on such a database',
    { DATABASE_URL: 'postgres://user:hunter2@127.0.0.1:1/x', MAILROOM_ROLES: 'worker' },
    ['doctor'],
    { code: 1, stdout: /problem {2}database +cannot be opened: connect ECONNREFUSED/ },
  ],
] as const) {
  test(`${what} ends with ${expected.code} and says why`, async () => {
    const ended = await mailroom({ MAILROOM_DATA_DIR: join(scratch, 'none'), ...env }, ...argv)
    assert.equal(ended.code, expected.code, ended.stderr)
    assert.match(ended.stdout, 'stdout' in expected ? expected.stdout : /^$/)
    assert.match(ended.stderr, 'stderr' in expected ? expected.stderr : /^$/)
    assert.ok(!`${ended.stdout}${ended.stderr}`.includes('hunter2'))
  })
}

test('on an empty directory the doctor makes nothing', async () => {
  const dataDir = join(scratch, 'untouched')
  const { code, stdout } = await mailroom({ MAILROOM_DATA_DIR: dataDir, MAILROOM_ROLES: 'worker' }, 'doctor')
  assert.equal(code, 0)
  assert.match(stdout, /database +embedded; created at the first start/)
  assert.ok(!existsSync(dataDir))
})

test('the entry of the program says which Node it needs to one that is older', async () => {
  const entry = join(import.meta.dirname, '../../bin/mailroom.js')
  const older = "data:text/javascript,Object.defineProperty(process, 'versions', { value: { node: '20.19.0' } })"
  const { stderr, code } = await run(['--import', older, entry, '--version'])
  assert.equal(code, 1)
  assert.match(stderr, /^Mailroom needs Node 24 or later; this is /)
  assert.match((await run([entry, '--version'])).stdout, /^\d+\.\d+\.\d+\n$/)
})

async function run(args: readonly string[]): Promise<{ stdout: string; stderr: string; code: number | null }> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { stdout, stderr, code }
}
