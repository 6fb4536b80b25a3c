import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { directoryOfFile } from '#test/world/of-file.ts'

const mebibyte = 2 ** 20
const data = directoryOfFile()
const main = join(import.meta.dirname, '../../bin/mailroom.js')

/** A control group whose processes together get so much memory, as a container or a unit of systemd with MemoryMax. */
function limitedGroup(octets: number): { readonly directory: string; [Symbol.dispose](): void } {
  const [root, limit] = existsSync('/sys/fs/cgroup/memory')
    ? ['/sys/fs/cgroup/memory', 'memory.limit_in_bytes']
    : ['/sys/fs/cgroup', 'memory.max']
  const directory = join(root, `mailroom-${process.pid}`)
  mkdirSync(directory)
  writeFileSync(join(directory, limit), String(octets))
  return { directory, [Symbol.dispose]: () => rmdirSync(directory) }
}

test('the first start passes within 512 MiB of memory, and then rests below 300', async () => {
  await using resources = new AsyncDisposableStack()
  const group = resources.use(limitedGroup(512 * mebibyte))
  const inGroup = `echo $$ > ${group.directory}/cgroup.procs; exec "$0" "$@"`
  const ports = { PORT: '0', MAILROOM_SMTP_PORT: '0', MAILROOM_IMAP_PORT: '0' }
  const service = spawn('sh', ['-c', inGroup, process.execPath, main, 'serve'], {
    env: { PATH: process.env.PATH, MAILROOM_DATA_DIR: data, ...ports },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(service, 'exit')
  resources.defer(async () => {
    service.kill('SIGKILL')
    await ended
  })
  const greeting = Promise.withResolvers<void>()
  createInterface(service.stdout).on('line', (line) => line.includes('mrk_') && greeting.resolve())
  await Promise.race([greeting.promise, ended])
  assert.equal(service.exitCode ?? service.signalCode, null, 'it ended at its first start')
  const [, resident] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8')) ?? []
  assert.ok(Number(resident) < 300 * 1024, `${resident} kB`)
  service.kill('SIGTERM')
  assert.deepEqual(await ended, [0, null])
})
