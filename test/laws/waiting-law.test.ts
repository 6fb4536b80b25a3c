import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { waitingBreaches } from './waiting-law.ts'

const root = join(import.meta.dirname, '../..')

/** What must wait or measure by a clock, and why. */
const exceptions: readonly (readonly [path: string, breach: string, because: string])[] = [
  ['src/out/relay/direct-mx/direct-mx.test.ts', 'has a timer', 'it passes on timers of the program, and notes them'],
  ['src/base/db/embedded/bounded-timers.test.ts', 'has a timer', 'it passes on timers of the program, and notes them'],
  ['src/base/db/short.test.ts', 'sleeps', 'a statement is to be under way as its connection ends'],
  ['src/smtp/protocol/smtp-listener.test.ts', 'has a timer', 'a client sends an octet at a time'],
  ['src/http/public-http/public-http.test.ts', 'has a timer', 'a server answers an octet at a time'],
  ['test/deploy/compose.ts', 'sleeps', 'it has the place of a timer of systemd, which runs health checks for Podman'],
  [
    'test/deploy/containers.ts',
    'sleeps',
    'it has the place of a timer of systemd, which runs health checks for Podman',
  ],
  ['test/faults/network/proxy.ts', 'has a timer', 'it is a slow network'],
  ['test/world/observe/growth.ts', 'measures processor time', 'V8 does not tell how many steps an expression took'],
  ['test/world/observe/hold-watch.ts', 'has a timer', 'it measures, for benches alone'],
  ['test/world/observe/hold-watch.ts', 'measures processor time', 'it measures, for benches alone'],
  ['test/peers/dovecot/imap-server.ts', 'sleeps', 'Dovecot does not say when its logins work'],
  ['test/peers/knot.ts', 'polls', 'Node hears of a child that ends, and of none that stops'],
  ['test/runner/processes.ts', 'sleeps', 'Linux tells the parent alone that a process has ended'],
  ['test/runner/progress.ts', 'measures processor time', 'the runner reports it'],
  ['test/runner/run-files.ts', 'has a timer', 'the runner ends what does not end by itself'],
  ['test/runner/several.ts', 'bounds seconds', 'a file of many tests may take any time'],
  ['test/runner/spare.ts', 'sleeps', 'the kernel tells nobody that processors are idle'],
  ['test/runner/test-process.ts', 'has a timer', 'the runner ends what hangs'],
  ['test/world/sockets/answers.ts', 'polls', 'Linux tells the parent alone that a process has ended'],
  ['test/world/sockets/answers.ts', 'sleeps', 'the programs do not say when they listen'],
]

test('tests wait for signals: they neither sleep nor poll, and no time bounds them', () => {
  const paths = globSync(['test/**/*.ts', '{src,web/src}/**/*.test.{ts,tsx}'], { cwd: root }).filter(
    (path) => !/waiting-law/.test(path),
  )
  assert.ok(paths.length > 500, 'the tests are found')
  const breaches = paths.flatMap((path) => {
    return waitingBreaches(path, readFileSync(join(root, path), 'utf8')).map((breach) => `${path} ${breach}`)
  })
  const excepted = exceptions.map(([path, breach]) => `${path} ${breach}`)
  assert.deepEqual(breaches.toSorted(), excepted.toSorted())
})

for (const [text, breach] of [
  ["import { setTimeout } from 'node:timers/promises'", 'sleeps'],
  ["query('select pg_sleep(1)')", 'sleeps'],
  ['new Promise((resolve) => setTimeout(resolve, 20))', 'has a timer'],
  ['setInterval(look, 20)', 'has a timer'],
  ["test('it ends', { timeout: 300_000 }, () => {})", 'bounds seconds'],
  ['fetch(url, { signal: AbortSignal.timeout(1_000) })', 'bounds seconds'],
  ['process.threadCpuUsage(before)', 'measures processor time'],
  ['await page.waitForTimeout(100)', 'polls'],
  ['while ((await fetch(url)).status !== 200);', 'polls'],
  ["import { setImmediate as turn } from 'node:timers/promises'\nwhile (!(await isThere())) await turn()", 'polls'],
  ['for (let n = 0; n < 20; n++) await new Promise(setImmediate)', 'polls'],
  ['while (!isThere()) await changed.promise', undefined],
  ['while (!(await isThere())) await once(process.stdout, "data")', undefined],
  ['for (const one of all) {\n  await one\n  await new Promise(setImmediate)\n}', undefined],
  ["t.mock.timers.enable({ apis: ['setTimeout'] })", undefined],
] as const)
  test(`the law ${breach ? `finds that it ${breach}` : 'allows'}: ${text.split('\n').at(-1)}`, () =>
    assert.deepEqual(waitingBreaches('one.test.ts', text), breach ? [breach] : []))
