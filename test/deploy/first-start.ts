import assert from 'node:assert/strict'
import { type ChildProcessWithoutNullStreams, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { limitFor } from '#test/world/limit-for.ts'

/** A newcomer's first steps: clones, runs the README's first command, tries what it prints, and follows the tour. */

const here = join(import.meta.dirname, '../..')
const readme = readFileSync(join(here, 'README.md'), 'utf8')
/** As typed in a shell: without what `npm run` added to the environment of this test. */
const env = Object.fromEntries(
  Object.entries(process.env)
    .filter(([name]) => !/^(npm_|NODE_|MAILROOM_|DATABASE_URL$|TEST_DATABASE_URL$|PORT$|HOST$)/i.test(name))
    .map(([name, value]) => [
      name,
      name === 'PATH'
        ? value
            ?.split(':')
            .filter((part) => !part.endsWith('node_modules/.bin'))
            .join(':')
        : value,
    ]),
)

let clone: string
let service: ChildProcessWithoutNullStreams
let greeting: string

before(async () => {
  clone = mkdtempSync(join(tmpdir(), 'mailroom-newcomer-'))
  execFileSync('git', ['clone', '--quiet', `file://${here}`, clone])
  const [command = ''] = shellBlocks(readme)[0]?.split('#') ?? []
  assert.equal(command.trim(), 'npm ci && npm start')
  service = spawn('bash', ['-c', command], { cwd: clone, env, detached: true })
  greeting = await printed(service)
})

after(() => {
  if (service.exitCode === null && service.pid !== undefined) process.kill(-service.pid, 'SIGKILL')
  rmSync(clone, { recursive: true, force: true })
})

/** All that the service prints until it has said what to try. */
async function printed(child: ChildProcessWithoutNullStreams): Promise<string> {
  let text = ''
  child.stderr.resume()
  for await (const chunk of child.stdout) {
    text += String(chunk)
    if (/v1\/usage'\n/.test(text)) break
  }
  assert.match(text, /Try:/, 'the service started')
  child.stdout.resume()
  return text
}

function shellBlocks(markdown: string): string[] {
  return [...markdown.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block)
}

function shell(script: string): { output: string; errors: string; status: number | null } {
  const { stdout, stderr, status } = spawnSync('bash', ['-c', script], { cwd: clone, env, encoding: 'utf8' })
  return { output: stdout, errors: stderr, status }
}

test('the three curl lines that are printed answer as they stand', () => {
  const lines = greeting.split('\n').filter((line) => line.trim().startsWith('curl '))
  assert.equal(lines.length, 3)
  const [labels, threads, usage] = lines.map((line) => JSON.parse(shell(line).output))
  assert.deepEqual(
    labels.data.map(({ keyword }: { keyword: string }) => keyword),
    ['customers', 'urgent', 'invoices', 'tea'],
  )
  assert.equal(threads.data.length, 3)
  assert.equal(threads.has_more, true)
  assert.ok(threads.data.some(({ message_count }: { message_count: number }) => message_count > 1))
  assert.equal(usage.plan, 'team')
  assert.equal(usage.mailboxes.used, 2)
  assert.ok(usage.storage.used_bytes > 10_000)
})

test('the tour of the README works to its end', () => {
  const tour = readme.slice(readme.indexOf('## Five minutes'), readme.indexOf('## Operations'))
  const key = /mrk_\w+/.exec(greeting)?.[0] ?? ''
  const [setting = '', ...steps] = shellBlocks(tour).map((block) => block.replace(/mrk_…/, key))
  assert.equal(steps.length, 11)
  const run = (step: number) => shell(`${setting}\n${steps[step]}`)
  const json = (step: number) => {
    const { output, errors } = run(step)
    const answers = output
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    assert.equal(errors, '')
    for (const answer of answers) assert.equal(answer.error, undefined, JSON.stringify(answer))
    return answers
  }
  assert.equal(json(0)[0].data.length, 3)
  assert.equal(json(1)[0].keyword, 'read-later')
  const [trial, filter] = json(2)
  assert.match(JSON.stringify(trial), /read-later/)
  assert.equal(filter.argument, 'read-later')
  const [found] = json(3)
  assert.equal(found.total, 1)
  assert.equal(found.data[0].subject, 'Your order has shipped')
  assert.deepEqual(json(4)[0].updated, [1, 2])
  const blocked = run(5)
  assert.match(blocked.output, /"pattern":"@books\.example"/)
  assert.match(blocked.errors, /550/)
  const [enrolled, { data: domains }] = json(6)
  assert.deepEqual([enrolled.status, enrolled.dns.length, enrolled.outstanding], ['pending', 4, 4])
  assert.deepEqual(
    domains.map(({ domain, status, dns, outstanding }: Record<string, unknown> & { dns: unknown[] }) => [
      ...[domain, status, dns.length, outstanding],
    ]),
    [
      ['tryout.test', 'verified', 6, 0],
      ['shop.test', 'verified', 6, 0],
    ],
  )
  assert.equal(json(7)[0].address, 'grace@tryout.test')
  const [sent, { data: got }] = json(8)
  assert.equal(sent.status, 'queued')
  assert.deepEqual([got[0].subject, got[0].message_id], ['A question', sent.message_id])
  assert.equal(json(9)[0].plan, 'team')
  const operator = run(10)
  assert.equal(operator.status, 0, operator.errors)
  assert.match(operator.output, /mrk_/)
})

test('it stops at SIGTERM with exit code 0 within ten seconds', async () => {
  assert.ok(service.pid)
  const since = performance.now()
  process.kill(-service.pid, 'SIGTERM')
  const [code] = await once(service, 'exit')
  assert.ok(performance.now() - since < limitFor(10_000))
  assert.equal(code, 0)
})
