import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { Newcomer } from './newcomer.ts'

/** A newcomer's first steps: clones, runs the README's first command, tries what it prints, and follows the tour. With npm 9
 *  and 10 there is no link to the Node 24 that it brings. */

const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8')

function shellBlocks(markdown: string): string[] {
  return [...markdown.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block)
}

/** What npm has downloaded for one, it has for the next. */
const cache = mkdtempSync(join(tmpdir(), 'mailroom-npm-'))
after(() => rm(cache, { recursive: true, force: true, maxRetries: 3 }))

for (const npm of [undefined, 'npm@10', 'npm@9'])
  suite(`a newcomer with Node 20 and ${npm ?? 'the npm of this machine'}`, () => {
    let newcomer: Newcomer
    let greeting: string
    before(async () => {
      newcomer = new Newcomer(cache, npm)
      const [command = ''] = shellBlocks(readme)[0]?.split('#') ?? []
      assert.equal(command.trim(), 'npm ci && npm start')
      greeting = await newcomer.start(command, /v1\/usage'\n/)
      assert.match(greeting, /Try:/)
    })
    after(() => newcomer[Symbol.asyncDispose]())

    test('the three curl lines that are printed answer as they stand', () => {
      const lines = greeting.split('\n').filter((line) => line.trim().startsWith('curl '))
      assert.equal(lines.length, 3)
      const [labels, threads, usage] = lines.map((line) => JSON.parse(newcomer.shell(line).output))
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

    // Whichever npm has started it, the service is the same.
    if (npm === undefined) test('the tour of the README works to its end', () => followTour(newcomer, greeting))

    test('it stops at SIGTERM with exit code 0', async () => {
      assert.equal(await newcomer.stop(), 0)
    })

    test('a test runs', () => {
      const { output, errors, status } = newcomer.shell('npm test -- src/mail/labels/keyword.test.ts')
      assert.equal(status, 0, output + errors)
      assert.match(output, / 0 failed/)
    })

    test('a command runs with npx, and once what tests alone need is removed', () => {
      for (const command of [
        'npm exec -- mailroom --version',
        'npm prune --omit=dev && npm run -s mailroom -- --version',
      ]) {
        const { output, errors, status } = newcomer.shell(command)
        assert.equal(status, 0, output + errors)
        assert.match(output, /^\d+\.\d+\.\d+$/m)
      }
    })
  })

function followTour(newcomer: Newcomer, greeting: string): void {
  const tour = readme.slice(readme.indexOf('## Five minutes'), readme.indexOf('## Operations'))
  const key = /mrk_\w+/.exec(greeting)?.[0] ?? ''
  const [setting = '', ...steps] = shellBlocks(tour).map((block) => block.replace(/mrk_…/, key))
  assert.equal(steps.length, 11)
  const run = (step: number) => newcomer.shell(`${setting}\n${steps[step]}`)
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
  assert.deepEqual(json(4)[0].updated, [found.data[0].id])
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
}
