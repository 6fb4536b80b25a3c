import type { Logger } from 'pino'
import { runCommand } from '#/app/cli/run.ts'
import type { Config } from '#/app/config/config.ts'
import { listenForCommands } from '#/app/control/listen.ts'
import { serverLog } from '#/app/server/log.ts'
import { startupMessage } from '#/app/tryout/startup-message.ts'
import { builtWeb } from '#/app/web/build.ts'
import type { Clock } from '#/base/clock/clock.ts'
import { assertDurable } from '#/base/db/connections/durability.ts'
import { migrate } from '#/base/db/migrate.ts'
import type { Database } from '#/base/db/open.ts'
import type { Db } from '#/base/db/schema.ts'
import { databaseTime } from '#/base/db/time.ts'
import { givenSecrets } from '#/base/secrets/given.ts'
import { SecretHolder } from '#/base/secrets/holders.ts'
import type { Keyring } from '#/base/secrets/keyring.ts'
import { openKeyring, secretsFor } from '#/base/secrets/open.ts'
import { isUnfinished } from '#/base/secrets/rotate.ts'
import { tryoutDomain } from '#/domains/name.ts'
import { originHere } from '#/people/sessions/invitation/link.ts'
import { assemble, type Running } from './assemble.ts'
import { startWhenThere } from './database.ts'
import { noteHostName } from './host-name.ts'
import { outside, tryRelay } from './open-outside.ts'
import type { Outside } from './outside.ts'

/** A service that runs as a program. */
export interface Started extends Running {
  readonly log: Logger
  /** Rejects when the embedded database has died: only a restart helps. */
  readonly failed: Promise<never>
  /** Text for the user of a try-out; else empty. */
  readonly greeting: string
}

/** Opens the database and all that the service uses, and starts the configured roles. Unless `bare` or in production, a service on an
 *  empty embedded database gets the try-out organization. */
export async function startServer(
  given: Config,
  { bare, journal = false, print }: { bare: boolean; journal?: boolean; print?: (line: string) => void },
): Promise<Started> {
  const { log, droppedLines } = serverLog(given.logLevel, undefined, { journal })
  for (const warning of given.warnings) log.warn(warning)
  const { databaseUrl } = given.secrets
  const tryout = databaseUrl === undefined && !bare && !given.production
  const config = tryout ? forTryout(given) : given
  // Before the database, so that a small machine needs the memory of one at a time.
  const web = given.roles.has('api') ? await webDirectory(log, bare || given.production ? undefined : print) : undefined
  const { dataDir } = config
  const target = databaseUrl === undefined ? { directory: dataDir, keepsReserve: true } : { url: databaseUrl }
  return await startWhenThere(target, log, (database) => startOn(database, config, { tryout, web, log, droppedLines }))
}

interface Beginning extends Pick<Outside, 'log' | 'droppedLines'> {
  readonly tryout: boolean
  /** Where the web app is. */
  readonly web: string | undefined
}

/** Starts on an open database, which it closes where it fails. */
async function startOn(
  database: Database,
  config: Config,
  { tryout, web, log, droppedLines }: Beginning,
): Promise<Started> {
  await using starting = new AsyncDisposableStack()
  starting.use(database)
  if (!config.allowUnsafeDatabase) await assertDurable(database.db)
  await migrate(database.pool)
  const secrets = () => givenSecrets(config)
  const keyring = await openKeyring(database.db, await secretsFor(database.db, config))
  if (!database.embedded) starting.use(await SecretHolder.start({ db: database.db, keyring, given: secrets, log }))
  await warnOfChange(database.db, keyring, await secrets(), log)
  await noteHostName(database.db, config.hostname, log)
  const around = outside(config, { tryout, db: database.db, log })
  starting.use(around.relay)
  const common = { database, clock: around.clock, time: databaseTime, keyring }
  const running = starting.use(
    await assemble(config, {
      ...{ ...around, ...common, allowReserved: tryout, log, droppedLines },
      webDirectory: web,
    }),
  )
  if (database.embedded) {
    const operator = { config, ...common, keyring: async () => keyring, tryRelay }
    starting.use(await listenForCommands(config.dataDir, (argv, print) => runCommand(argv, operator, print)))
  }
  const greeting = tryout
    ? await quietly(log, () => greet(running, config, { clock: around.clock, web: web !== undefined }))
    : ''
  const { http, smtp, lmtp, policy, submission, submissionTls, imap, imapTls, metrics } = running
  const listening = { http, smtp, lmtp, policy, submission, submissionTls, imap, imapTls, metrics }
  log.info({ ...listening, publicUrl: config.publicUrl, roles: [...config.roles] }, 'Mailroom runs')
  const started = starting.move()
  const end = async () => {
    void database.leaveIfSilent()
    await running.drainConnections()
    await started.disposeAsync()
  }
  return { ...running, log, failed: database.failed, greeting, [Symbol.asyncDispose]: end }
}

async function warnOfChange(db: Db, { inForce }: Keyring, [newest]: readonly string[], log: Logger): Promise<void> {
  if (newest !== inForce.text)
    log.warn('the new secret is not in force yet: `mailroom secret rotate` puts it in force once every process has it')
  else if (await isUnfinished(db))
    log.warn('the change of the secret is not finished: run `mailroom secret rotate` again')
}

/** A web app that cannot be built does not prevent the start of the API. */
async function webDirectory(log: Logger, print: ((line: string) => void) | undefined): Promise<string | undefined> {
  try {
    const { directory, outdated } = await builtWeb(
      print && (() => print('Building the web app, which takes some seconds')),
    )
    if (directory === undefined) log.warn('there is no web app: `npm ci && npm run build` builds it')
    else if (outdated) log.warn('the web app is older than its sources: `npm ci && npm run build` builds it')
    return directory
  } catch (error) {
    log.warn({ err: error }, 'building the web app failed: the service starts without it')
    return undefined
  }
}

/** A try-out publishes records itself, so the first check can be early; the records need a host name. */
function forTryout(config: Config): Config {
  return {
    ...config,
    hostname: config.hostname === 'localhost' ? `mx.${tryoutDomain}` : config.hostname,
    dnsFirstCheckSeconds: Math.min(config.dnsFirstCheckSeconds, 10),
  }
}

async function greet(
  running: Running,
  { publicUrl }: Config,
  { clock, web }: { clock: Clock; web: boolean },
): Promise<string> {
  const {
    database: { db },
    http,
    smtp,
    imap,
    domainChecks,
  } = running
  if (http === undefined || smtp === undefined) return ''
  const api = { http: publicUrl ?? http, smtp, imap, web }
  // Loaded only for a try-out.
  const { firstStart } = await import('#/app/tryout/first-start.ts')
  return startupMessage(api, await firstStart({ db, clock, smtp, domainChecks, origin: originHere(api.http) }))
}

/** Keeps the log lines of the sample mail out, so that the greeting is visible. */
async function quietly<T>(log: Logger, work: () => Promise<T>): Promise<T> {
  const { level } = log
  if (level === 'info') log.level = 'warn'
  try {
    return await work()
  } finally {
    log.level = level
  }
}
