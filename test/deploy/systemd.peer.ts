import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { directoryOfFile } from '#test/world/of-file.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')

const directory = directoryOfFile()
const unit = join(directory, 'mailroom@main.service')
const given = await readFile(join(root, 'deploy/systemd/mailroom@.service'), 'utf8')
// What it starts is here, and whom it runs as may not be.
await writeFile(unit, given.replaceAll('/opt/mailroom', root).replace('User=mailroom', 'User=daemon'))

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
  const set = (name: string) =>
    [...given.replaceAll('%i', 'mx').matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value]) => value).join(' ')
  const program = set('ExecStart').split(' ').slice(0, -1)
  assert.deepEqual(words.slice(-program.length - 3), [...program, 'org', 'create', 'A & B'])
  const environment = set('Environment').split(' ')
  const settings = [
    ...[`--uid=${set('User')}`, `--gid=${set('Group')}`, ...environment.map((one) => `--setenv=${one}`)],
    ...['EnvironmentFile', 'AmbientCapabilities'].map((name) => `--property=${name}=${set(name)}`),
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
