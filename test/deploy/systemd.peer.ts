import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')

let directory: string
let unit: string
before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'mailroom-unit-'))
  unit = join(directory, 'mailroom@main.service')
  const text = await readFile(join(root, 'deploy/systemd/mailroom@.service'), 'utf8')
  // What it starts is here, and whom it runs as may not be.
  await writeFile(unit, text.replaceAll('/opt/mailroom', root).replace('User=mailroom', 'User=daemon'))
})
after(() => rm(directory, { recursive: true, force: true }))

test('systemd finds nothing wrong with the units', async () => {
  const units = [unit]
  for (const kind of ['service', 'timer']) {
    const backup = join(directory, `mailroom-backup@main.${kind}`)
    const text = await readFile(join(root, `deploy/systemd/mailroom-backup@.${kind}`), 'utf8')
    await writeFile(backup, text.replace('User=mailroom', 'User=daemon'))
    units.push(backup)
  }
  const { stdout, stderr } = await run('systemd-analyze', ['verify', ...units])
  assert.equal(stdout + stderr, '')
})

test('a command of the operator is run as the service is', async () => {
  const calls = join(directory, 'systemd-run')
  await writeFile(calls, '#!/bin/sh\nfor word in "$@"; do echo "$word"; done\n', { mode: 0o755 })
  const env = { PATH: `${directory}:${process.env.PATH}`, INSTANCE: 'mx' }
  const { stdout } = await run(join(root, 'deploy/systemd/mailroom'), ['org', 'create', 'A & B'], { env })
  const words = stdout.trimEnd().split('\n')
  const given = await readFile(join(root, 'deploy/systemd/mailroom@.service'), 'utf8')
  const set = (name: string) =>
    [...given.replaceAll('%i', 'mx').matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value]) => value).join(' ')
  const program = set('ExecStart')
    .replace(/ serve$/, '')
    .split(' ')
  assert.deepEqual(words.slice(-program.length - 3), [...program, 'org', 'create', 'A & B'])
  const settings = [
    `--uid=${set('User')}`,
    `--gid=${set('Group')}`,
    ...['EnvironmentFile', 'AmbientCapabilities'].map((name) => `--property=${name}=${set(name)}`),
    ...set('Environment')
      .split(' ')
      .map((one) => `--setenv=${one}`),
  ]
  assert.deepEqual(
    settings.filter((one) => !words.includes(one)),
    [],
  )
})

test('what Mailroom does not need is closed to it', async () => {
  const { stdout } = await run('systemd-analyze', ['security', '--offline=true', '--no-pager', unit])
  const [, exposure] = /exposure level for \S+: ([\d.]+)/.exec(stdout) ?? []
  assert.ok(Number(exposure) <= 2, stdout)
})
