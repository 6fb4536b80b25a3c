import { resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { callServer } from '#/app/control/call.ts'
import type { Reply } from '#/app/control/protocol.ts'
import { DirectoryInUse } from '#/base/db/directory-lock.ts'
import { migrate } from '#/base/db/migrate.ts'
import { type Database, openDatabase } from '#/base/db/open.ts'
import type { OnProgress, Operator } from './command.ts'
import { diagnose, doctorCommand } from './doctor/doctor.ts'
import { hasEmbeddedDatabase } from './doctor/files.ts'
import { errorText } from './error-text.ts'
import { assertDatabaseExists } from './missing-database.ts'
import type { Call } from './parse.ts'
import { failure, present, runCommand } from './run.ts'

/** How long to wait for a server that is starting, or for another command. */
const timeoutMs = 30_000

/** Runs a command in the server that has the embedded database open, else in this process. `argv` is the call before parsing.
 *  Never rejects. */
export async function operate(argv: readonly string[], call: Call, around: Surroundings): Promise<Reply> {
  try {
    const { databaseUrl } = around.config.secrets
    if (databaseUrl !== undefined) return await here(argv, call, around, { url: databaseUrl, maxConnections: 2 })
    return await thereOrHere(argv, call, around)
  } catch (error) {
    return failure(error)
  }
}

type Surroundings = Omit<Operator, 'database'> & { readonly onProgress: OnProgress }
type Target = Parameters<typeof openDatabase>[0]

/** Tries the server's socket and the directory's lock alternately: a process that holds the lock without listening is a
 *  server that starts or stops, or a command that ends soon. */
async function thereOrHere(argv: readonly string[], call: Call, around: Surroundings): Promise<Reply> {
  const { dataDir } = around.config
  const deadline = performance.now() + timeoutMs
  for (;;) {
    const reply = await callServer(dataDir, fromHere(argv, call), around.onProgress)
    if (reply) return reply
    try {
      if (call.command !== doctorCommand) await assertDatabaseExists(around.config)
      return await here(argv, call, around, { directory: dataDir })
    } catch (error) {
      if (!(error instanceof DirectoryInUse) || performance.now() > deadline) throw error
      await setTimeout(100)
    }
  }
}

/** Makes the path of a file absolute: the server has another working directory. */
function fromHere(argv: readonly string[], { given: { file } }: Call): readonly string[] {
  const at = file === undefined ? -1 : argv.lastIndexOf(file)
  return file === undefined || at < 0 ? argv : argv.with(at, resolve(file))
}

async function here(argv: readonly string[], call: Call, around: Surroundings, target: Target): Promise<Reply> {
  if (call.command === doctorCommand) return present(await doctorHere(around, target), call.json)
  await using resources = new AsyncDisposableStack()
  const database = await openPatient(target, resources)
  await migrate(database.pool)
  return await runCommand(argv, { ...around, database }, around.onProgress)
}

/** The doctor changes nothing, applies no migrations, and runs without a database too. */
async function doctorHere({ config, tryRelay }: Surroundings, target: Target) {
  if ('directory' in target && !(await hasEmbeddedDatabase(target.directory)))
    return diagnose(config, 'missing', tryRelay)
  await using resources = new AsyncDisposableStack()
  const opened = await open(target, resources)
  return await diagnose(config, opened, tryRelay)
}

async function open(
  target: Target,
  resources: AsyncDisposableStack,
): Promise<{ database: Database } | { failure: string }> {
  try {
    return { database: await openPatient(target, resources) }
  } catch (error) {
    if (error instanceof DirectoryInUse) throw error
    return { failure: errorText(error) }
  }
}

/** No request waits for a command, which may count all mail or delete what a whole organization has. */
async function openPatient(target: Target, resources: AsyncDisposableStack): Promise<Database> {
  const database = resources.use(await openDatabase(target))
  return { ...database, db: database.patient }
}
