import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { afterEach, beforeEach, test } from 'node:test'
import { limitFor } from '#test/world/limit-for.ts'
import { FaultProxy } from './proxy.ts'

/** An echo server, and what it has received. */
async function startEcho() {
  const sockets: Socket[] = []
  const state = { heard: '' }
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      state.heard += chunk
      socket.write(chunk)
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    state,
    target: { host: '127.0.0.1', port: (server.address() as AddressInfo).port },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await once(server.close(), 'close')
    },
  }
}

let resources: AsyncDisposableStack
let echo: Awaited<ReturnType<typeof startEcho>>
let proxy: FaultProxy
beforeEach(async () => {
  resources = new AsyncDisposableStack()
  echo = resources.use(await startEcho())
  proxy = resources.use(await FaultProxy.start(echo.target))
})
afterEach(() => resources.disposeAsync())

async function client() {
  const socket = connect(proxy.port, '127.0.0.1')
  let said = ''
  let heard = ''
  socket.on('data', (chunk) => {
    heard += chunk
  })
  const closed = new Promise<string>((resolve) => {
    socket.on('error', () => {})
    socket.on('close', () => resolve(heard))
  })
  resources.defer(() => void socket.destroy())
  await once(socket, 'connect')
  return {
    /** Sends it and waits until as much has come back. */
    async say(text: string) {
      socket.write(text)
      said += text
      while (heard.length < said.length) await once(socket, 'data')
      return heard
    },
    write(text: string) {
      said += text
      socket.write(text)
    },
    end: () => socket.end(),
    heard: () => heard,
    /** All that it received, once the connection has ended. */
    closed,
  }
}

test('what is well goes through both ways, at any size, and an end does too', async () => {
  const one = await client()
  const text = 'x'.repeat(1_000_000)
  assert.equal(await one.say(text), text)
  one.end()
  assert.equal(await one.closed, text)
})

test('what is slow comes late, whole and in order', async () => {
  proxy.delay = 200
  const one = await client()
  const since = performance.now()
  one.write('abc')
  assert.equal(await one.say('def'), 'abcdef')
  // A timer counts from when its turn of the event loop began.
  assert.ok(performance.now() - since >= 300)
})

test('what is half-open says nothing any more, and neither side hears that the other is gone', async () => {
  const one = await client()
  await one.say('before')
  proxy.silence()
  one.write('into the void')
  const two = await client()
  two.write('anybody?')
  two.end()
  proxy.heal()
  assert.equal(await (await client()).say('after'), 'after')
  assert.deepEqual([one.heard(), two.heard(), echo.state.heard], ['before', '', 'beforeafter'])
})

test('what is down breaks, until it is well', async () => {
  const one = await client()
  await one.say('before')
  proxy.drop()
  assert.equal(await one.closed, 'before')
  const refused = connect(proxy.port, '127.0.0.1')
  refused.on('error', () => {})
  await new Promise((resolve) => refused.once('close', resolve))
  proxy.heal()
  assert.equal(await (await client()).say('after'), 'after')
})

for (const [from, through, there, back] of [
  ['client', 0, 'first ', 'first '],
  ['client', 3, 'first COM', 'first '],
  ['client', 6, 'first COMMIT', 'first '],
  ['server', 0, 'first COMMIT', 'first '],
  ['server', 6, 'first COMMIT', 'first COMMIT'],
] as const) {
  test(`a connection is cut ${through} octets into what the ${from} says, once`, async () => {
    const one = await client()
    await one.say('first ')
    const cut = proxy.cut(from, 'COMMIT', { through })
    one.write('COMMIT')
    await cut
    assert.equal(await one.closed, back)
    assert.equal(echo.state.heard, there)
    assert.equal(await (await client()).say('COMMIT'), 'COMMIT')
  })
}

test('a text that comes in pieces is cut too', async () => {
  const one = await client()
  const cut = proxy.cut('client', 'COMMIT', { through: 4 })
  await one.say('COM')
  one.write('MIT')
  await cut
  await one.closed
  assert.equal(echo.state.heard, 'COMM')
})

test('a connection that is cut silently stays open, and says nothing any more', async () => {
  const one = await client()
  const cut = proxy.cut('client', 'COMMIT', { silently: true })
  one.write('COMMIT')
  await cut
  one.write('anybody?')
  await (await client()).say(' next')
  assert.deepEqual([one.heard(), echo.state.heard], ['', 'COMMIT next'])
})

test('connections lead to wherever the target is when they are made', async () => {
  await using other = await startEcho()
  const one = await client()
  proxy.target = other.target
  const two = await client()
  await Promise.all([one.say('one'), two.say('two')])
  assert.deepEqual([echo.state.heard, other.state.heard], ['one', 'two'])
})

test('a connection that ends may break meanwhile, and a process that had such a one comes to its end', async () => {
  const script = `
    import { once } from 'node:events'
    import { connect, createServer } from 'node:net'
    import { FaultProxy } from ${JSON.stringify(new URL('./proxy.ts', import.meta.url).href)}
    const server = createServer((socket) => socket.on('error', () => {}).resume()).listen(0, '127.0.0.1')
    await once(server, 'listening')
    await using proxy = await FaultProxy.start({ host: '127.0.0.1', port: server.address().port })
    const socket = connect(proxy.port, '127.0.0.1').on('error', () => {})
    const cut = proxy.cut('client', 'COMMIT', { through: 0 })
    socket.write('COMMIT')
    await cut
    proxy.drop()
    await new Promise((resolve) => socket.once('close', resolve))
    server.close()`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const spins = setTimeout(() => child.kill('SIGKILL'), limitFor(20_000))
  const [code] = await once(child, 'exit')
  clearTimeout(spins)
  assert.equal(code, 0)
})
