// On both databases: a command runs beside a service.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { databaseHome } from '#test/world/database/database.ts'
import { each } from '#test/world/each.ts'
import { directoryOfFile } from '#test/world/of-file.ts'
import { mailroom, type Service, startService } from '#test/world/service.ts'

const scratch = directoryOfFile()

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

  const other = await json(env, 'key', 'create', '--org', 'acme', '--scopes', 'usage:read')
  assert.equal((await json(env, 'key', 'revoke', other.id)).already_revoked, false)

  await server.end('SIGKILL')
  assert.deepEqual(await json(env, 'org', 'list'), { data: [acme, second] })

  const next = await started(env, resources)
  assert.deepEqual([await statusWith(next, made.key), await statusWith(next, other.key)], [200, 401])
  assert.equal((await json(env, 'doctor')).healthy, true)
  assert.deepEqual((await json(env, 'doctor', '--counters')).wrong_folders, [])

  assert.deepEqual(await next.end('SIGTERM'), { code: 0, signal: null })
  assert.ok(!existsSync(socket))
})

const onServer = process.env.TEST_DATABASE_URL !== undefined
if (!onServer)
  test('commands that start at once without a server take turns', async () => {
    await using resources = new AsyncDisposableStack()
    const { env } = resources.use(await databaseHome())
    const names = ['One', 'Three', 'Two']
    await Promise.all(names.map((name) => json(env, 'org', 'create', name)))
    const { data } = await json(env, 'org', 'list')
    assert.deepEqual(each(data, 'name'), names)
  })

// The same on both, and each starts sooner on a server.
if (onServer) {
  test('SIGINT stops the server, although clients stay connected', async () => {
    await using resources = new AsyncDisposableStack()
    const { env } = resources.use(await databaseHome())
    const server = await started(env, resources)
    const clients = [new URL(server.http), server.smtp].map((at) => {
      const host = 'hostname' in at ? at.hostname : at.host
      return connect({ host, port: Number(at.port) }).on('error', () => {})
    })
    await Promise.all(clients.map((client) => once(client, 'connect')))
    assert.deepEqual(await server.end('SIGINT'), { code: 0, signal: null })
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
    assert.match(server.written(), /a second time: unfinished work was cut off/)
  })

  test('a port that is taken ends the start with a sentence, and the doctor says what to do', async () => {
    await using resources = new AsyncDisposableStack()
    const { env } = resources.use(await databaseHome())
    const other = createServer((socket) => socket.destroy())
    await once(other.listen(0, '127.0.0.1'), 'listening')
    resources.defer(() => void other.close())
    const address = other.address()
    const taken = {
      ...env,
      PORT: String(typeof address === 'object' && address?.port),
      MAILROOM_SMTP_PORT: '0',
      MAILROOM_IMAP_PORT: '0',
    }
    const ended = await mailroom(taken, 'serve', '--bare')
    assert.equal(ended.code, 1)
    assert.match(ended.stderr, /EADDRINUSE/)
    const { code, stdout } = await mailroom(taken, 'doctor')
    assert.equal(code, 1)
    assert.match(stdout, /HTTP port: Stop it, or set PORT to another port\./)
  })

  test('a backup of what is on a server is for pg_dump', async () => {
    await using home = await databaseHome()
    const file = join(scratch, 'server.tar')
    const { code, stderr } = await mailroom(home.env, 'backup', file)
    assert.equal(code, 1)
    assert.match(stderr, /pg_dump/)
    assert.ok(!existsSync(file))
  })
}

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
