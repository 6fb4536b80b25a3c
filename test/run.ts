// All tests, on the embedded database or, with --postgres, on a PostgreSQL server that is started and removed. There the
// tests that open no database would only say the same again. What else stands in the command goes to `node --test`.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from './postgres.ts'
import { testFiles } from './test-files.ts'

const options = process.argv.slice(2).filter((option) => option !== '--postgres')
await using resources = new AsyncDisposableStack()
const scratch = await mkdtemp(join(await roomyPlace(), 'mailroom-tests-'))
resources.defer(() => rm(scratch, { recursive: true, force: true }))
// PostgreSQL runs as a user of its own.
await chmod(scratch, 0o711)
const env: NodeJS.ProcessEnv = { NODE_COMPILE_CACHE: 'node_modules/.cache/compiled', ...process.env, TMPDIR: scratch }
if (process.argv.includes('--postgres')) env.TEST_DATABASE_URL = resources.use(await startPostgres({}, scratch)).url

const { withDatabase } = testFiles()
const without = join(import.meta.dirname, 'without-database.ts')
const others = env.TEST_DATABASE_URL === undefined ? [without] : []
const node = [
  // To optimize PostgreSQL's WebAssembly takes longer than nearly every test: without, all take a quarter less CPU.
  '--liftoff-only',
  ...['--test', '--test-concurrency=2', '--test-timeout=120000'],
]
const child = spawn(process.execPath, [...node, ...options, ...others, ...withDatabase], { stdio: 'inherit', env })
// The tests decide what a signal means; we stay until they have ended, and clean up.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
const [code] = (await once(child, 'exit')) as [number | null]
process.exitCode = code ?? 1

/** Memory where there is enough of it: throw-away databases sync at every commit, and disks are slow at that. */
async function roomyPlace(): Promise<string> {
  const memory = '/dev/shm'
  const { bavail, bsize } = await statfs(memory).catch(() => ({ bavail: 0, bsize: 0 }))
  return bavail * bsize >= 2 ** 31 ? memory : tmpdir()
}
