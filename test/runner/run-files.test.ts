import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { processes } from './processes.ts'
import { type RunResult, runFiles, summary } from './run-files.ts'

let scratch: string
before(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'mailroom-runner-'))
})
after(() => rm(scratch, { recursive: true, force: true }))

/** Runs files with these texts, each with `test` and `spawn` at hand. */
async function run(texts: Readonly<Record<string, string>>, stop = new AbortController().signal) {
  const files = Object.entries(texts).map(async ([name, text]) => {
    const file = join(scratch, name)
    const imports = "import { test } from 'node:test'\nimport { spawn } from 'node:child_process'\n"
    await writeFile(file, imports + text)
    return file
  })
  let said = ''
  const { PATH } = process.env
  const options = { flags: [], env: { PATH, TMPDIR: scratch }, scratch, testMs: 60_000, silentMs: 8_000 }
  const say = (text: string) => {
    said += text
  }
  const result = await runFiles(await Promise.all(files), options, say, stop)
  return { result, said, byName: (name: string) => found(result, name) }
}

function found({ files }: RunResult, name: string) {
  return files.find(({ file }) => file.endsWith(name)) ?? assert.fail(`${name} was not run`)
}

const forever = 'setInterval(() => {}, 1_000)'

test('files that pass, fail, break off, hang and leave something running are told apart, and all is ended', async () => {
  const { result, said, byName } = await run({
    'good.mjs': "test('one', () => {}); test('two', () => {})",
    'bad.mjs': "test('one', () => {}); test('two', () => { throw new Error('this is wrong') })",
    'broken.mjs': 'process.exit(3)',
    'hung.mjs': `process.on('SIGTERM', () => {}); test('quick', () => {}); test('waits', () => new Promise(() => { spawn('sleep', ['4001']); ${forever} }))`,
    'leaves.mjs': "test('one', () => { spawn('sleep', ['4002'], { stdio: 'inherit' }).unref() })",
    'strays.mjs': "test('one', () => { spawn('sleep', ['4003'], { detached: true, stdio: 'ignore' }).unref() })",
  })
  const told = ({ passed, failed, problems }: RunResult['files'][number]) => ({ passed, failed, problems })
  assert.deepEqual(told(byName('good.mjs')), { passed: 2, failed: 0, problems: [] })
  assert.deepEqual(told(byName('bad.mjs')), { passed: 1, failed: 1, problems: [] })
  assert.deepEqual(told(byName('broken.mjs')), { passed: 0, failed: 0, problems: ['ended with 3'] })
  assert.deepEqual(byName('hung.mjs').problems, ['hung, and was killed, in: waits'])
  assert.deepEqual(told(byName('leaves.mjs')), {
    passed: 1,
    failed: 0,
    problems: ['left a process running, which was killed: sleep 4002'],
  })
  assert.deepEqual(result.left, ['sleep 4003'])
  assert.match(said, /this is wrong/)
  assert.match(summary(result), /✖ \S+hung\.mjs; hung, and was killed, in: waits/)
  assert.match(summary(result), /\n5 passed, 5 failed\n$/)
  const left = processes().filter(({ command }) => /^sleep 400[123]$/.test(command))
  assert.deepEqual(left, [])
})

test('a run that is stopped ends what runs and begins no more', async () => {
  const stop = new AbortController()
  const running = run({ 'first.mjs': `test('waits', () => new Promise(() => ${forever}))` }, stop.signal)
  stop.abort()
  const { result } = await running
  assert.ok(result.files.length <= 1)
})

test('a process that ended is no longer listed', async () => {
  const child = spawn('sleep', ['4004'])
  assert.ok(processes().some(({ pid }) => pid === child.pid))
  child.kill('SIGKILL')
  await once(child, 'exit')
  assert.ok(!processes().some(({ pid }) => pid === child.pid))
})
