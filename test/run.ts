// All tests, on the embedded database or, with --postgres, on a PostgreSQL server that is started and removed. There the
// tests that open no database would only say the same again. With --peers, those against other programs. Where files are
// named, these alone. Other options go to node, as --test-name-pattern. It ends whatever the tests have started, and names
// the file that hung.

import { chmod, mkdtemp, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from './postgres.ts'
import { isGood, runFiles, summary } from './runner/run-files.ts'
import { peerFiles, testFiles } from './test-files.ts'

const words = process.argv.slice(2)
const [postgres, peers] = ['--postgres', '--peers'].map((option) => words.includes(option))
const options = words.filter((word) => word.startsWith('--') && word !== '--postgres' && word !== '--peers')
const named = words.filter((word) => !word.startsWith('--'))

const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopping.abort())
await using resources = new AsyncDisposableStack()
const scratch = await mkdtemp(join(await roomyPlace(), 'mailroom-tests-'))
resources.defer(() => rm(scratch, { recursive: true, force: true, maxRetries: 3 }))
// PostgreSQL runs as a user of its own.
await chmod(scratch, 0o711)
const env: NodeJS.ProcessEnv = { NODE_COMPILE_CACHE: 'node_modules/.cache/compiled', ...process.env, TMPDIR: scratch }
if (postgres) env.TEST_DATABASE_URL = resources.use(await startPostgres({}, await roomyPlace())).url

const ran = await runFiles(
  files(),
  {
    // To optimize PostgreSQL's WebAssembly takes longer than nearly every test: without, all take a quarter less CPU.
    flags: ['--liftoff-only', ...options],
    ...{ env, scratch },
    testMs: 300_000,
    // A test against other programs may have its own, longer time.
    silentMs: peers ? 960_000 : 360_000,
  },
  (text) => process.stdout.write(text),
  stopping.signal,
)
process.stdout.write(summary(ran))
if (stopping.signal.aborted || ran.left.length > 0 || !ran.files.every(isGood)) process.exitCode = 1

function files(): readonly string[] {
  if (named.length > 0) return named
  if (peers) return peerFiles()
  const { withDatabase } = testFiles()
  return env.TEST_DATABASE_URL === undefined
    ? [join(import.meta.dirname, 'without-database.ts'), ...withDatabase]
    : withDatabase
}

/** Memory where there is enough of it: throw-away databases sync at every commit, and disks are slow at that. */
async function roomyPlace(): Promise<string> {
  const memory = '/dev/shm'
  const { bavail, bsize } = await statfs(memory).catch(() => ({ bavail: 0, bsize: 0 }))
  return bavail * bsize >= 2 ** 31 ? memory : tmpdir()
}
