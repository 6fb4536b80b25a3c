import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { version } from '#/base/version.ts'

const launcher = join(import.meta.dirname, '../../bin/node.js')
const program = join(import.meta.dirname, '../../bin/mailroom.js')

/** Makes the first process, and it alone, look like an older Node. */
const older = (without: string) =>
  `--import=data:text/javascript,${encodeURIComponent(`
    if (process.env.OLDER) {
      delete process.env.OLDER
      Object.defineProperty(process.versions, 'node', { value: '20.9.0' })
      ${without}
    }`)}`
const withoutExecve = 'process.execve = undefined'

function launch(args: readonly string[], without = withoutExecve): ChildProcess & { stdout: NodeJS.ReadableStream } {
  const { PATH } = process.env
  const env = { PATH, OLDER: 'yes', NODE_OPTIONS: older(without) }
  const child = spawn(process.execPath, args, { env, stdio: ['pipe', 'pipe', 'inherit'] })
  assert.ok(child.stdout)
  return Object.assign(child, { stdout: child.stdout })
}

/** What it writes, and how it ends. */
async function told(child: ReturnType<typeof launch>): Promise<[string, number | NodeJS.Signals]> {
  const [written, [code, signal]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  return [written, signal ?? code]
}

for (const [how, without] of [
  ['takes the place of an older one', ''],
  ['is a child of one that can be replaced by none', withoutExecve],
] as const) {
  const runs = (args: readonly string[]) => launch(args, without)

  test(`the Node that npm has brought ${how}: arguments, flags and standard input are those given`, async () => {
    const say =
      'process.stdin.pipe(process.stdout); console.log(process.version, process.argv.slice(1), process.execArgv[0])'
    const child = runs(['--no-warnings', launcher, '-e', say, 'one', "it's two"])
    child.stdin?.end('typed')
    const [major = ''] = process.version.split('.')
    const [written, end] = await told(child)
    assert.match(written, new RegExp(`^${major}.* \\[ 'one', "it's two" \\] --no-warnings\ntyped$`))
    assert.equal(end, 0)
  })

  for (const [what, script, expected] of [
    ['an exit code', 'process.exit(7)', 7],
    ['a signal', "process.kill(process.pid, 'SIGTERM'); setInterval(() => {}, 1000)", 'SIGTERM'],
    ['a signal that cannot be caught', "process.kill(process.pid, 'SIGKILL'); setInterval(() => {}, 1000)", 'SIGKILL'],
  ] as const) {
    test(`the Node that npm has brought ${how}: ${what} ends both`, async () => {
      assert.deepEqual(await told(runs([launcher, '-e', script])), ['', expected])
    })
  }

  for (const signal of ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGUSR2'] as const) {
    test(`the Node that npm has brought ${how}: ${signal} reaches it`, async () => {
      const script = `process.on('${signal}', () => { console.log('heard'); process.exit(0) }); console.log('here'); setInterval(() => {}, 1000)`
      const child = runs([launcher, '-e', script])
      await once(child.stdout, 'readable')
      child.kill(signal)
      assert.deepEqual(await told(child), ['here\nheard\n', 0])
    })
  }

  test(`the Node that npm has brought ${how}: what kills one leaves none`, async () => {
    const child = runs([launcher, '-e', 'console.log("here"); setInterval(() => {}, 1000)'])
    await once(child.stdout, 'readable')
    child.kill('SIGKILL')
    // Its output ends with it.
    assert.deepEqual(await told(child), ['here\n', 'SIGKILL'])
  })

  test(`the Node that npm has brought ${how}: what it starts by the name node is the same`, async () => {
    const script = "process.stdout.write(require('child_process').execFileSync('node', ['--version']))"
    assert.deepEqual(await told(runs([launcher, '-e', script])), [`${process.version}\n`, 0])
  })

  test(`the Node that npm has brought ${how}: the program runs on it`, async () => {
    assert.deepEqual(await told(runs([program, '--version'])), [`${version}\n`, 0])
  })
}

test('where npm has brought none, it says what is needed and where to get it', async () => {
  const elsewhere = "Object.defineProperty(process, 'arch', { value: 'riscv64' })"
  const { PATH } = process.env
  const env = { PATH, OLDER: 'yes', NODE_OPTIONS: older(elsewhere) }
  const child = spawn(process.execPath, [program, 'serve'], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  const [written, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
  assert.match(
    written,
    /^Mailroom needs Node 24 or later; this is v.*\n.*`npm ci` brings it.*https:\/\/nodejs\.org\.\n$/,
  )
  assert.equal(code, 1)
})

test('no script of package.json runs TypeScript with the Node of the machine', () => {
  const root = join(import.meta.dirname, '../..')
  for (const file of ['package.json', 'web/package.json']) {
    const { scripts = {} } = JSON.parse(readFileSync(join(root, file), 'utf8')) as { scripts?: Record<string, string> }
    // What follows the launcher finds its Node first in PATH.
    const commands = Object.values(scripts).flatMap((script) => script.split(' && '))
    const bare = commands.filter((command) => /^(exec )?node (?!bin\/(node|mailroom)\.js\b)/.test(command))
    assert.deepEqual(bare, [])
  }
})
