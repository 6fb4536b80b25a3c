import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { lstatSync, mkdirSync, readdirSync, statSync, watch, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { directoryOfFile } from '#test/world/of-file.ts'
import { callServer } from './call.ts'
import { listenForCommands } from './listen.ts'
import { type Reply, socketPath } from './protocol.ts'

const scratch = directoryOfFile()

let count = 0
function newDirectory(): string {
  const directory = join(scratch, String(++count))
  mkdirSync(directory)
  return directory
}

const echo = async (argv: readonly string[]): Promise<Reply> => ({
  stdout: argv.join('|'),
  stderr: 'warned',
  exitCode: 3,
})

test('a command is sent whole, and its output and exit code are returned', async () => {
  const directory = newDirectory()
  await using _server = await listenForCommands(directory, echo)
  const argv = ['org', 'create', 'Ä 李雷 😀\n"|"', '']
  assert.deepEqual(await callServer(directory, argv), { stdout: argv.join('|'), stderr: 'warned', exitCode: 3 })
})

test('progress of a command comes before its reply', async () => {
  const directory = newDirectory()
  await using _server = await listenForCommands(directory, async (argv, onProgress) => {
    for (const word of argv) onProgress(word)
    return { stdout: 'done', stderr: '', exitCode: 0 }
  })
  const reports: string[] = []
  const reply = await callServer(directory, ['one "\n"', 'two'], (progress) => reports.push(progress))
  assert.deepEqual([reports, reply?.stdout], [['one "\n"', 'two'], 'done'])
})

test('only the owner may connect, and nothing else is left in the directory', async () => {
  const directory = newDirectory()
  {
    await using _server = await listenForCommands(directory, echo)
    assert.equal(statSync(join(directory, 'control.sock')).mode & 0o777, 0o600)
    assert.deepEqual(readdirSync(directory), ['control.sock'])
  }
  assert.deepEqual(readdirSync(directory), [])
})

test('no server is found without a directory, without a socket, and with a file in its place', async () => {
  assert.equal(await callServer(join(scratch, 'absent'), []), undefined)
  const directory = newDirectory()
  assert.equal(await callServer(directory, []), undefined)
  writeFileSync(join(directory, 'control.sock'), '')
  assert.equal(await callServer(directory, []), undefined)
})

test('the socket of a killed server is no server, and the next server replaces it', async () => {
  const directory = newDirectory()
  const path = join(directory, 'control.sock')
  const script = "require('net').createServer().listen(process.argv[1], () => console.log('listens'))"
  const killed = spawn(process.execPath, ['-e', script, path], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(killed.stdout, 'data')
  killed.kill('SIGKILL')
  await once(killed, 'exit')
  assert.ok(lstatSync(path).isSocket())
  assert.equal(await callServer(directory, ['x']), undefined)
  await using _server = await listenForCommands(directory, echo)
  assert.equal((await callServer(directory, ['x']))?.stdout, 'x')
})

for (const [what, bytes] of [
  ['no JSON', 'org list\n'],
  ['no argv', '{}\n'],
  ['an argv that is not words', '{"argv":["org",5]}\n'],
  ['null', 'null\n'],
  ['more than 64 KiB', `{"argv":["${'x'.repeat(70_000)}`],
] as const)
  test(`on a request that holds ${what} the connection is closed, and nothing runs`, async () => {
    const directory = newDirectory()
    let ran = 0
    await using _server = await listenForCommands(directory, async (argv) => {
      ran++
      return echo(argv)
    })
    const socket = connect(socketPath(directory)).on('error', () => {})
    socket.write(bytes)
    assert.equal(await text(socket).catch(() => ''), '')
    assert.equal(ran, 0)
  })

for (const ends of [false, true])
  test(`a client that sends half a request and ${ends ? 'hangs up' : 'stays'} is disconnected, while others are served`, async () => {
    const directory = newDirectory()
    await using _server = await listenForCommands(directory, echo)
    const socket = connect(socketPath(directory)).on('error', () => {})
    socket.write('{"argv":["org"')
    if (ends) socket.end()
    const closed = once(socket.resume(), 'close')
    assert.equal((await callServer(directory, ['x']))?.stdout, 'x')
    await closed
  })

test('commands at once are each answered', async () => {
  const directory = newDirectory()
  await using _server = await listenForCommands(directory, echo)
  const words = Array.from({ length: 12 }, (_, at) => String(at))
  const said = await Promise.all(words.map(async (word) => (await callServer(directory, [word]))?.stdout))
  assert.deepEqual(said, words)
})

test('a long output comes whole', async () => {
  const directory = newDirectory()
  const stdout = 'é'.repeat(1_000_000)
  await using _server = await listenForCommands(directory, async () => ({ stdout, stderr: '', exitCode: 0 }))
  assert.equal((await callServer(directory, []))?.stdout, stdout)
})

test('a server that stops waits for the running command, and accepts no other', async () => {
  const directory = newDirectory()
  const started = Promise.withResolvers<void>()
  const finish = Promise.withResolvers<void>()
  const server = await listenForCommands(directory, async (argv) => {
    started.resolve()
    await finish.promise
    return echo(argv)
  })
  const called = callServer(directory, ['x'])
  await started.promise
  const watcher = watch(directory)
  const unlinked = once(watcher, 'change')
  const stopped = server[Symbol.asyncDispose]()
  await unlinked
  watcher.close()
  assert.equal(await callServer(directory, ['y']), undefined)
  finish.resolve()
  assert.equal((await called)?.stdout, 'x')
  await stopped
})

test('if the server ends during a command, the error says that the command may have taken effect', async () => {
  const directory = newDirectory()
  const path = join(directory, 'control.sock')
  const script =
    "require('net').createServer((s) => s.once('data', () => process.exit())).listen(process.argv[1], () => console.log(1))"
  const child = spawn(process.execPath, ['-e', script, path], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  await assert.rejects(callServer(directory, ['x']), /may have taken effect; check before you repeat it/)
})

test('a path too long for a socket is an error that says what to do; a short relative path works', () => {
  const long = join('/', 'x'.repeat(120))
  assert.throws(() => socketPath(long), /takes \d+ bytes: set MAILROOM_DATA_DIR to a shorter path/)
  const before = process.cwd()
  const deep = join(scratch, 'd'.repeat(100))
  mkdirSync(deep)
  process.chdir(deep)
  try {
    assert.equal(socketPath(join(deep, 'data')), 'data/control.sock')
  } finally {
    process.chdir(before)
  }
})
