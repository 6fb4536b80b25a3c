import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..')

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

test('systemd finds nothing wrong with the unit', async () => {
  const { stdout, stderr } = await run('systemd-analyze', ['verify', unit])
  assert.equal(stdout + stderr, '')
})

test('what Mailroom does not need is closed to it', async () => {
  const { stdout } = await run('systemd-analyze', ['security', '--offline=true', '--no-pager', unit])
  const [, exposure] = /exposure level for \S+: ([\d.]+)/.exec(stdout) ?? []
  assert.ok(Number(exposure) <= 2, stdout)
})
