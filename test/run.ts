// All tests, on the embedded database or, with --postgres, on a PostgreSQL server that is started and removed; with --differing
// of those what may behave differently there. With --peers, those against other programs. Where files are named, these alone.
// --shuffle puts the files into another order, and --seed makes up other values; a number behind it repeats them. --times shows what CPU time each file took.
// Other options go to node, as --test-name-pattern. It ends whatever the tests have started, and names the file that hung.

import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { builtWeb } from '#/app/web/build.ts'
import { startPostgres } from '#test/peers/postgres.ts'
import { bundledProgram } from '#test/runner/bundle.ts'
import { isGood, summary, times } from '#test/runner/report.ts'
import { roomyPlace } from '#test/runner/roomy-place.ts'
import { runFiles } from '#test/runner/run-files.ts'
import { shuffledBy, unmixed } from '#test/runner/shuffle.ts'
import { Spare } from '#test/runner/spare.ts'
import { grouped, isFile, peerFiles, serveWeb, startServices, testFiles } from '#test/runner/test-files.ts'
import { silenceOf } from '#test/runner/test-process.ts'
import { usualSeed, wantedBy } from '#test/runner/words.ts'

const { switches, shuffle, seed, options, files: named } = wantedBy(process.argv.slice(2))
const peers = switches.has('--peers')
const mix = shuffle === undefined ? unmixed : shuffledBy(shuffle)

const wrong = named.filter((path) => !isFile(path))
if (wrong.length > 0) {
  process.stderr.write(`Not a file: ${wrong.join(', ')}\n`)
  process.exit(2)
}
const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopping.abort())
await using resources = new AsyncDisposableStack()
const scratch = await mkdtemp(join(await roomyPlace(), 'mailroom-tests-'))
resources.defer(() => rm(scratch, { recursive: true, force: true, maxRetries: 3 }))
// PostgreSQL runs as a user of its own.
await chmod(scratch, 0o711)
// Services that tests start share it, and run in other directories.
const NODE_COMPILE_CACHE = resolve('node_modules/.cache/compiled')
const env: NodeJS.ProcessEnv = { NODE_COMPILE_CACHE, ...process.env, TMPDIR: scratch, TEST_SEED: seed }
// Eight processes on one database, as a test has them, may use 112, and others are beside them; PostgreSQL allows 100 by default.
const settings = { max_connections: '300' }
if (switches.has('--postgres'))
  env.TEST_DATABASE_URL = resources.use(await startPostgres(settings, await roomyPlace())).url
const files = mix(groups())
// Once for all files, each of which would else build it.
if (serveWeb(files.flat())) await builtWeb(() => process.stdout.write('Building the web app\n'))
/** Also at the end, where a reader looks. */
const again = [
  ...(shuffle === undefined ? [] : [`Shuffled: --shuffle ${shuffle} is this order again\n`]),
  ...(seed === usualSeed ? [] : [`Values: --seed ${seed} makes these again\n`]),
].join('')
process.stdout.write(again)
if (startServices(files.flat())) env.TEST_PROGRAM = await bundledProgram()

const ran = await runFiles(
  files,
  {
    // To optimize PostgreSQL's WebAssembly takes longer than nearly every test: without, all take a quarter less CPU.
    flags: ['--liftoff-only', '--import', resolve('test/runner/seeded.ts'), ...options],
    ...{ env, scratch },
    // Tests against other programs wait for these most of their time, but have time-outs for what they do.
    ...(peers ? { together: 3 } : { together: 2, spare: new Spare() }),
    // One of them may have its own, longer time.
    silence: silenceOf(peers ? 960_000 : 300_000),
  },
  (text) => process.stdout.write(text),
  stopping.signal,
)
if (switches.has('--times')) process.stdout.write(times(ran))
process.stdout.write(again + summary(ran))
if (stopping.signal.aborted || ran.left.length > 0 || !ran.processes.every(({ files }) => files.every(isGood)))
  process.exitCode = 1

function groups(): readonly (readonly string[])[] {
  // An option may choose among the tests, and a file that shares its process is a test itself.
  if (named.length > 0) return options.length > 0 ? named.map((file) => [file]) : grouped(mix(named))
  if (peers) return peerFiles(mix)
  const server = env.TEST_DATABASE_URL !== undefined
  return testFiles({ on: !server ? 'embedded' : switches.has('--differing') ? 'differing' : 'server', mix })
}
