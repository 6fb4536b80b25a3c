import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, watch, writeFileSync } from 'node:fs'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { suite, test } from 'node:test'
import { directoryOfFile } from '#test/world/of-file.ts'
import { processes } from './processes.ts'
import { summary } from './report.ts'
import { type RunResult, runFiles } from './run-files.ts'
import { Spare } from './spare.ts'
import { type Silence, silenceOf } from './test-process.ts'

/** Here a file is silent once its test that waits for ever has begun. */
const silence: Silence = (progress, silent) => {
  const watcher = watch(dirname(progress), (_, name) => {
    if (name === basename(progress) && readFileSync(progress, 'utf8').includes('"begins":"waits"')) silent()
  })
  return { [Symbol.dispose]: () => watcher.close() }
}

const all = directoryOfFile()

/** Runs files with these texts, each with `test` and `spawn` at hand, in processes of their own or together. */
async function run(
  texts: Readonly<Record<string, string>>,
  {
    stop = new AbortController().signal,
    together = false,
    spare,
  }: { stop?: AbortSignal; together?: boolean; spare?: Spare } = {},
) {
  const scratch = await mkdtemp(join(all, 'run-'))
  const files = Object.entries(texts).map(async ([name, text]) => {
    const file = join(scratch, name)
    const imports =
      "import { before, suite, test } from 'node:test'\nimport { spawn, spawnSync } from 'node:child_process'\n"
    await writeFile(file, imports + text)
    return file
  })
  let said = ''
  const { PATH } = process.env
  const flags = ['--import', join(import.meta.dirname, 'test-context.ts')]
  const options = { flags, env: { PATH, TMPDIR: scratch }, scratch, silence, ...(spare && { spare }) }
  const say = (text: string) => {
    said += text
  }
  const named = await Promise.all(files)
  const result = await runFiles(together ? [named] : named.map((file) => [file]), options, say, stop)
  return { result, said, byName: (name: string) => found(result, name) }
}

function found({ processes }: RunResult, name: string) {
  return (
    processes.flatMap(({ files }) => files).find(({ file }) => file.endsWith(name)) ??
    assert.fail(`${name} was not run`)
  )
}

const forever = 'setInterval(() => {}, 1_000)'
const counted = ({ passed, failed, problems }: ReturnType<typeof found>) => ({ passed, failed, problems })

suite('runs of files', { concurrency: true }, () => {
  test('files that pass, fail, crash, hang and leave something running are distinguished, and all is ended', async () => {
    const { result, said, byName } = await run({
      'good.mjs': "test('one', () => {}); test('two', () => {})",
      'bad.mjs': "test('one', () => {}); test('two', () => { throw new Error('this is wrong') })",
      'late.mjs':
        "test('one', () => {}); test('two', async () => { setTimeout(() => { throw new Error('too late') }); await new Promise(() => {}) })",
      'broken.mjs': "console.log('my last words'); process.exit(3)",
      'hung.mjs': `process.on('SIGTERM', () => {}); test('quick', () => {}); test('waits', () => new Promise(() => { spawn('sleep', ['4001']); ${forever} }))`,
      'leaves.mjs': "test('one', () => { spawn('sleep', ['4002'], { stdio: 'inherit' }).unref() })",
      'strays.mjs': "test('one', () => { spawn('sleep', ['4003'], { detached: true, stdio: 'ignore' }).unref() })",
    })
    assert.deepEqual(counted(byName('good.mjs')), { passed: 2, failed: 0, problems: [] })
    assert.deepEqual(counted(byName('bad.mjs')), { passed: 1, failed: 1, problems: [] })
    assert.deepEqual(counted(byName('late.mjs')), { passed: 1, failed: 1, problems: [] })
    assert.deepEqual(counted(byName('broken.mjs')), { passed: 0, failed: 0, problems: ['ended with 3'] })
    assert.deepEqual(byName('hung.mjs').problems, ['hung, and was killed, in: waits'])
    assert.deepEqual(counted(byName('leaves.mjs')), {
      passed: 1,
      failed: 0,
      problems: ['left a process running, which was killed: sleep 4002'],
    })
    assert.deepEqual(result.left, ['sleep 4003'])
    assert.match(said, /this is wrong/)
    assert.match(summary(result), /✖ \S+bad\.mjs; 1 failed\n {2}✖ two\n {4}Error: this is wrong\n {4}at \S.*bad\.mjs/)
    assert.match(summary(result), /✖ \S+late\.mjs; 1 failed\n {2}✖ two\n {4}Error: too late\n/)
    assert.match(summary(result), /✖ \S+broken\.mjs; ended with 3\n {4}my last words\n/)
    assert.match(summary(result), /✖ \S+hung\.mjs; hung, and was killed, in: waits/)
    assert.match(summary(result), /\n6 passed, 6 failed\n$/)
    const left = processes().filter(({ command }) => /^sleep 400[123]$/.test(command))
    assert.deepEqual(left, [])
  })

  test('files that share a process are distinguished, and those behind one that hangs or crashes are run', async () => {
    const { result, said, byName } = await run(
      {
        'a.mjs':
          "test('one', () => {}); suite('two', () => { before(() => { throw new Error('this is wrong') }); test('three', () => {}) })",
        'b.mjs': `test('one', () => {}); test('waits', () => new Promise(() => ${forever}))`,
        'c.mjs': 'process.exit(0)',
        'd.mjs': "test('one', () => { spawn('sleep', ['4005'], { stdio: 'inherit' }).unref() })",
        'e.mjs': "throw new Error('it does not load')",
        'f.mjs': "test('one', () => {})",
      },
      { together: true },
    )
    assert.deepEqual(counted(byName('a.mjs')), { passed: 1, failed: 1, problems: [] })
    assert.deepEqual(byName('b.mjs').problems, ['hung, and was killed, in: waits'])
    assert.deepEqual(counted(byName('c.mjs')), { passed: 0, failed: 0, problems: ['ended with 0'] })
    assert.deepEqual(counted(byName('d.mjs')), { passed: 1, failed: 1, problems: [] })
    assert.match(said, /left running, and was killed: sleep 4005/)
    assert.deepEqual(counted(byName('e.mjs')), { passed: 0, failed: 1, problems: [] })
    assert.match(summary(result), /✖ \S+a\.mjs; 1 failed\n {2}✖ two › three\n.*\n {2}✖ two\n {4}Error: this is wrong\n/)
    assert.match(summary(result), /✖ \S+e\.mjs; 1 failed\n {4}Error: it does not load\n/)
    assert.deepEqual(counted(byName('f.mjs')), { passed: 1, failed: 0, problems: [] })
    assert.match(summary(result), /\n3 passed, 5 failed\n$/)
    assert.ok(!processes().some(({ command }) => command === 'sleep 4005'))
  })

  test('a run that is stopped ends what runs and begins no more', async () => {
    const stop = new AbortController()
    const running = run({ 'first.mjs': `test('waits', () => new Promise(() => ${forever}))` }, { stop: stop.signal })
    stop.abort()
    const { result } = await running
    assert.ok(result.processes.length <= 1)
  })

  test('while processors are idle, two more processes run beside the two', async () => {
    const meet = `test('meets the others', async () => {
      const { readdirSync, watch, writeFileSync } = await import('node:fs')
      const { TMPDIR } = process.env
      await new Promise((met) => {
        const look = () => {
          if (readdirSync(TMPDIR).filter((name) => name.endsWith('.here')).length === 4) met(watcher.close())
        }
        const watcher = watch(TMPDIR, look)
        writeFileSync(TMPDIR + '/' + process.pid + '.here', '')
        look()
      })
    })`
    const files = { 'a.mjs': meet, 'b.mjs': meet, 'c.mjs': meet, 'd.mjs': meet }
    const { result } = await run(files, { spare: new Spare(() => 1, 10) })
    assert.match(summary(result), /^4 passed, 0 failed\n$/)
  })

  test('a process that ended is no longer listed', async () => {
    const child = spawn('sleep', ['4004'])
    assert.ok(processes().some(({ pid }) => pid === child.pid))
    child.kill('SIGKILL')
    await once(child, 'exit')
    assert.ok(!processes().some(({ pid }) => pid === child.pid))
  })
})

test('a process is silent once its file does not grow for so long', (t) => {
  // Whole milliseconds, whose sums are exact.
  let now = Math.ceil(performance.now())
  t.mock.method(performance, 'now', () => now)
  t.mock.timers.enable({ apis: ['setInterval'] })
  const progress = join(all, 'some.progress')
  const found: number[] = []
  using _ = silenceOf(4_000)(progress, () => found.push(second))
  let second = 0
  for (; second < 10; second++) {
    if (second < 4) writeFileSync(progress, 'x'.repeat(second))
    now += 1_000
    t.mock.timers.tick(1_000)
  }
  assert.equal(found[0], 7)
})

test('files that are not there, and folders, are named in one line, and nothing is run', () => {
  const runner = join(import.meta.dirname, '../run.ts')
  const { status, stdout, stderr } = spawnSync(process.execPath, [runner, 'nothing.ts', import.meta.dirname, runner])
  assert.deepEqual([status, `${stdout}${stderr}`], [2, `Not a file: nothing.ts, ${import.meta.dirname}\n`])
})
