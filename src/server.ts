import { setTimeout as wait } from 'node:timers/promises'
import { type Logger, pino } from 'pino'
import { SystemClock } from '#/adapters/clock/system.ts'
import { ImapMailHost } from '#/adapters/mail-host/imap/index.ts'
import { SqlMailHost } from '#/adapters/mail-host/sql/index.ts'
import { DirectMxRelay } from '#/adapters/relay/direct-mx.ts'
import { NowhereRelay } from '#/adapters/relay/nowhere.ts'
import { SmarthostRelay } from '#/adapters/relay/smarthost.ts'
import { DnsResolver } from '#/adapters/resolver/dns.ts'
import { askedApart } from '#/adapters/resolver/quorum.ts'
import { ZoneResolver } from '#/adapters/resolver/zone.ts'
import { type AppParts, buildApp } from '#/app.ts'
import { runCommand } from '#/cli/run.ts'
import type { Config, Listening } from '#/config/config.ts'
import { listenForCommands } from '#/control/listen.ts'
import { DirectoryInUse } from '#/db/directory-lock.ts'
import { assertDurable } from '#/db/durability.ts'
import { migrate } from '#/db/migrate.ts'
import { type Database, openDatabase } from '#/db/open.ts'
import type { Db } from '#/db/schema.ts'
import { databaseTime, type SharedTime } from '#/db/time.ts'
import { DomainChecks } from '#/domains/checks.ts'
import { sealedAs as dkimKeys } from '#/domains/dkim.ts'
import { signingKeys } from '#/domains/signing-keys.ts'
import { forgetAnswered } from '#/forwarding/arrival.ts'
import { perMinute } from '#/http/authorize.ts'
import { forgetAnswers } from '#/http/once.ts'
import { forgetRequests, SharedWindow } from '#/http/shared-window.ts'
import { admissionBy } from '#/inbound/admit.ts'
import { forgetArrivals } from '#/inbound/arrivals.ts'
import { lookUpsFor } from '#/inbound/authenticate.ts'
import type { MailTaker } from '#/inbound/host.ts'
import { receptionFor, startInbound } from '#/inbound/inbound.ts'
import { OwnDoor } from '#/inbound/own.ts'
import { Authenticator } from '#/keys/authenticate.ts'
import { logDestination } from '#/log.ts'
import { MetricsListener } from '#/metrics/listener.ts'
import { measuredMailHost, measuredRelay, measuredTaker } from '#/metrics/measured.ts'
import { Metrics } from '#/metrics/metrics.ts'
import { measureQueues } from '#/metrics/queues.ts'
import { idHashKey } from '#/mime/id-hash.ts'
import { MessageReader } from '#/mime/reader.ts'
import { relayMarkKey } from '#/mime/relay-mark.ts'
import { OpenPgp } from '#/openpgp/openpgp.ts'
import { notifier } from '#/outbound/bounce.ts'
import { compose as composed } from '#/outbound/compose.ts'
import { Dispatch } from '#/outbound/dispatch.ts'
import { FollowUps } from '#/outbound/follow-ups.ts'
import type { HandOverParts } from '#/outbound/hand-over.ts'
import { forgetReturnPaths, returnPaths } from '#/outbound/return-paths.ts'
import { nextRoundAfter, Rounds } from '#/outbound/rounds.ts'
import { Srs } from '#/outbound/srs.ts'
import { OutboundWorker } from '#/outbound/worker.ts'
import type { Clock } from '#/ports/clock.ts'
import type { MailHost } from '#/ports/mail-host.ts'
import type { Relay } from '#/ports/relay.ts'
import type { Resolver } from '#/ports/resolver.ts'
import { forgetFailed } from '#/scheduled/queries.ts'
import { sealingKey } from '#/seal.ts'
import { assertSameSecret, installationSecret } from '#/secret.ts'
import { ThreadCache } from '#/threads/cache.ts'
import { firstStart } from '#/tryout/first-start.ts'
import { welcome } from '#/tryout/welcome.ts'
import { reservedZones, tryoutDns, tryoutDomain } from '#/tryout/zone.ts'

/** A running Mailroom. Disposing it stops accepting, finishes what is in hand and closes everything that it opened. */
export interface Running extends AsyncDisposable {
  readonly database: Database
  readonly mailHost: MailHost
  /** Where the API answers, as `http://127.0.0.1:8080`; undefined where this process has not that role. */
  readonly http: string | undefined
  readonly smtp: Listening | undefined
  readonly lmtp: Listening | undefined
  readonly policy: Listening | undefined
  readonly metrics: Listening | undefined
  readonly domainChecks: DomainChecks
  readonly outbound: OutboundWorker
  /** Hands over what was scheduled. */
  readonly rounds: Rounds
}

/** What a service stands on. */
export interface Parts {
  readonly database: Database
  readonly clock: Clock
  /** The database's time, by which processes agree on what is due. */
  readonly time: SharedTime
  readonly resolver: Resolver
  /** Asked where somebody could win a domain by a forged answer. */
  readonly quorum: Resolver
  readonly relay: Relay
  readonly secret: string
  /** Whether domains can be enrolled that exist for tests and examples alone. */
  readonly allowReserved: boolean
  readonly log: Logger
}

/** A service that was started as a program of its own. */
export interface Started extends Running {
  /** Rejects when the embedded database has ended by itself: nothing works from then on but a restart. */
  readonly failed: Promise<never>
  /** What to show whoever started it; empty where nobody asked for a try-out. */
  readonly greeting: string
}

/** Opens the database and all else that the configuration names, and starts what its roles ask for. Unless it is `bare`
 *  or in production, a service on an empty embedded database gets the try-out organization. */
export async function startServer(given: Config, { bare }: { bare: boolean }): Promise<Started> {
  await using starting = new AsyncDisposableStack()
  const log = pino({ level: given.logLevel, serializers: { err: describeError } }, logDestination(2))
  for (const warning of given.warnings) log.warn(warning)
  const { databaseUrl, imap } = given.secrets
  const tryout = databaseUrl === undefined && imap === undefined && !bare && !given.production
  const config = tryout ? forTryout(given) : given
  const database = starting.use(
    databaseUrl === undefined ? await openWhenFree(config.dataDir) : await openDatabase({ url: databaseUrl }),
  )
  if (!config.allowUnsafeDatabase) await assertDurable(database.db)
  await migrate(database.pool)
  const clock = new SystemClock()
  const names = (dns: Resolver) => {
    if (!tryout) return dns
    const zone = new ZoneResolver({}, { zones: reservedZones, resolver: dns })
    return tryoutDns(zone, database.db, config.hostname)
  }
  const resolver = names(new DnsResolver({ servers: config.dnsServers }))
  const quorum = names(askedApart(config.dnsServers))
  const secret = await installationSecret(config)
  await assertSameSecret(database.db, secret)
  const relay = starting.use(relayFor(config, { tryout, resolver, clock, log }))
  const parts = { database, clock, time: databaseTime, resolver, quorum, relay, secret, allowReserved: tryout, log }
  const running = starting.use(await compose(config, parts))
  if (database.embedded) {
    const mailHost = async () => running.mailHost
    const operator = { config, database, clock, time: databaseTime, secret: async () => secret, mailHost }
    starting.use(await listenForCommands(config.dataDir, (argv, tell) => runCommand(argv, operator, tell)))
  }
  const greeting = tryout ? await quietly(log, () => greet(running, clock)) : ''
  const { http, smtp, lmtp, policy, metrics } = running
  log.info({ http, smtp, lmtp, policy, metrics, roles: [...config.roles] }, 'Mailroom runs')
  const started = starting.move()
  return { ...running, failed: database.failed, greeting, [Symbol.asyncDispose]: () => started.disposeAsync() }
}

/** Where mail lives, for a command that runs without a server too. */
export function mailHostOn(
  { secrets: { imap }, spoolBytes }: Config,
  db: Db,
  secret: string,
  { reader = new MessageReader(), log = pino({ level: 'silent' }) } = {},
): MailHost & Partial<AsyncDisposable> {
  const key = idHashKey(secret)
  if (!imap) return new SqlMailHost(db, key)
  return new ImapMailHost({ db, server: imap, key, reader, log, mostSpooledBytes: spoolBytes })
}

/** A command of the operator, or a server that stops, may have the directory for a moment. */
async function openWhenFree(directory: string): Promise<Database> {
  const end = performance.now() + mostWaitMs
  for (;;) {
    try {
      return await openDatabase({ directory })
    } catch (error) {
      if (!(error instanceof DirectoryInUse) || performance.now() > end) throw error
      await wait(100)
    }
  }
}

/** Records that are published as soon as they are asked for need not be waited for, and they need a name to point at. */
function forTryout(config: Config): Config {
  return {
    ...config,
    hostname: config.hostname === 'localhost' ? `mx.${tryoutDomain}` : config.hostname,
    dnsFirstCheckSeconds: Math.min(config.dnsFirstCheckSeconds, 10),
  }
}

async function greet(running: Running, clock: Clock): Promise<string> {
  const { database, mailHost, http, smtp, domainChecks } = running
  if (http === undefined || smtp === undefined) return ''
  return welcome({ http, smtp }, await firstStart({ db: database.db, mailHost, clock, smtp, domainChecks }))
}

/** The mail that a try-out begins with is no news, and what it greets with should not stand under dozens of lines. */
async function quietly<T>(log: Logger, work: () => Promise<T>): Promise<T> {
  const { level } = log
  if (level === 'info') log.level = 'warn'
  try {
    return await work()
  } finally {
    log.level = level
  }
}

/** An error as the log has it: never the rows and parameters that a database error carries. */
function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) }
  const { name, message, stack, cause } = error
  const code = 'code' in error ? error.code : undefined
  return { type: name, message, code, stack, ...(cause !== undefined && { cause: describeError(cause) }) }
}

/** Starts what the configuration's roles ask for, on parts that are open and stay open. */
export async function compose(config: Config, given: Parts): Promise<Running> {
  const metrics = config.metrics && new Metrics()
  const parts = metrics ? { ...given, relay: measuredRelay(given.relay, metrics) } : given
  const { database, clock, time, resolver, secret, log } = parts
  await using starting = new AsyncDisposableStack()
  const { db } = database
  const reader = starting.use(new MessageReader())
  const stored = mailHostOn(config, db, secret, { reader, log })
  starting.defer(async () => stored[Symbol.asyncDispose]?.())
  const mailHost = metrics ? measuredMailHost(stored, metrics) : stored
  const openPgp = starting.use(new OpenPgp())
  const shared = { mailHost, reader, openPgp }
  const followUps = followUpsFor(parts, () => config.roles.has('worker') && outbound.wake())
  const admission = admissionBy(db, config.hostname, returnPaths({ db, srs: new Srs(secret), time }))
  const markKey = relayMarkKey(secret)
  const reception = receptionFor({ db, ...shared, followUps, markKey, resolver, config, log })
  const local = new OwnDoor(reception, admission, clock)
  const outbound: OutboundWorker = starting.use(mailOut(config, parts, shared, local))
  const rounds = starting.use(roundsFor(config, parts, { ...shared, outbound }))
  const http = config.roles.has('api')
    ? await startApi(config, parts, { ...shared, outbound, metrics }, starting)
    : undefined
  const measured = metrics && ((taker: MailTaker) => measuredTaker(taker, metrics))
  const inbound = config.roles.has('mx')
    ? starting.use(await startInbound({ reception, admission, clock, config, log, measured }))
    : undefined
  const domainChecks = starting.use(checksOfDomains(config, parts))
  if (config.roles.has('worker')) {
    domainChecks.start()
    outbound.start()
    rounds.start(config.tickSeconds * 1_000)
    starting.use(keepHouse(parts))
  }
  const metricsAt = config.metrics && metrics && (await giveOut(metrics, db, config.metrics, starting))
  const started = starting.move()
  return {
    database,
    mailHost,
    http,
    domainChecks,
    outbound,
    rounds,
    smtp: inbound?.smtp,
    lmtp: inbound?.lmtp,
    policy: inbound?.policy,
    metrics: metricsAt,
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  }
}

/** A try-out's domain exists nowhere else, so nobody could answer to mail from it: none leaves by accident. */
function relayFor(
  { hostname: name, allowPrivateMx: allowPrivate, secrets }: Config,
  { tryout, ...parts }: { tryout: boolean; resolver: Resolver; clock: Clock; log: Logger },
): Relay {
  if (secrets.relay) return new SmarthostRelay({ peer: { ...secrets.relay, address: secrets.relay.host }, name })
  return tryout ? new NowhereRelay() : new DirectMxRelay({ ...parts, name, allowPrivate })
}

function mailOut(config: Config, parts: Parts, shared: Shared, local: OwnDoor): OutboundWorker {
  const { database, relay, time, log } = parts
  const { hostname } = config
  return new OutboundWorker({
    ...{ db: database.db, relay, local, time, log, ...shared },
    ambiguous: config.ambiguous,
    nextRound: nextRound(config),
    notify: notifier({ ...shared, hostname }),
  })
}

function followUpsFor(parts: Parts, wake: () => void): FollowUps {
  const { database, relay, time, resolver, secret, log } = parts
  return new FollowUps({
    ...{ db: database.db, relay, time, log, wake },
    srs: new Srs(secret),
    markKey: relayMarkKey(secret),
    lookUps: () => lookUpsFor(resolver, ''),
    signingKeys: signingKeysFor(parts),
  })
}

function roundsFor(config: Config, parts: Parts, shared: Shared & { outbound: OutboundWorker }): Rounds {
  const { database, relay, time, log } = parts
  const keys = signingKeysFor(parts)
  return new Rounds({ db: database.db, relay, time, log, ...shared, signingKeys: keys, nextRound: nextRound(config) })
}

function nextRound({ tickSeconds }: Config): (now: Date) => Date {
  return (now) => nextRoundAfter(now, tickSeconds * 1_000)
}

function signingKeysFor({ database: { db }, secret }: Parts): HandOverParts['signingKeys'] {
  const key = sealingKey(secret, dkimKeys)
  return (organizationId, domain) => signingKeys(db, key, organizationId, domain)
}

interface Shared {
  readonly mailHost: MailHost
  readonly reader: MessageReader
  readonly openPgp: OpenPgp
}

function checksOfDomains(config: Config, { database: { db }, quorum, time, secret, log }: Parts): DomainChecks {
  return new DomainChecks({
    ...{ db, resolver: quorum, time, log },
    sealingKey: sealingKey(secret, dkimKeys),
    hostname: config.hostname,
    firstCheckAfter: firstCheckOf(config),
  })
}

function firstCheckOf({ dnsFirstCheckSeconds }: Config): number {
  return dnsFirstCheckSeconds * 1_000
}

async function startApi(
  config: Config,
  parts: Parts,
  { outbound, metrics, ...shared }: Shared & { outbound: OutboundWorker; metrics: Metrics | undefined },
  starting: AsyncDisposableStack,
): Promise<string> {
  const { clock, time, secret, log, allowReserved } = parts
  const { db, embedded } = parts.database
  const authenticator = starting.use(new Authenticator(db, () => clock.now()))
  const threads = new ThreadCache({
    mailHost: shared.mailHost,
    key: idHashKey(secret),
    maxBytes: config.threadCacheBytes,
  })
  const sharedRate = embedded ? undefined : starting.use(new SharedWindow(db, perMinute))
  const answersKey = sealingKey(secret, 'kept answers')
  const dispatch = new Dispatch({
    ...{ db, ...shared, relay: parts.relay, time },
    signingKeys: signingKeysFor(parts),
    // Where the worker is another process, it looks by itself, every two seconds.
    wake: () => config.roles.has('worker') && outbound.wake(),
  })
  const app = await buildApp({
    ...{
      db,
      ...shared,
      dispatch,
      composer: composed,
      threads,
      authenticator,
      clock,
      time,
      log,
      sharedRate,
      answersKey,
      allowReserved,
    },
    observe: metrics && observer(metrics, threads),
    hostname: config.hostname,
    tls: config.tls !== undefined,
    firstCheckAfter: firstCheckOf(config),
  })
  starting.defer(async () => {
    // A client that does not read its answer must not hold up the stop.
    const cut = setTimeout(() => app.server.closeAllConnections(), mostClosingMs)
    await app.close().finally(() => clearTimeout(cut))
  })
  return await app.listen({ host: config.host, port: config.port })
}

function observer(metrics: Metrics, threads: ThreadCache): AppParts['observe'] {
  metrics.gauge(
    { name: 'mailroom_thread_indexes_asked', help: 'Folders asked for as conversations', label: 'index' },
    () => threads.asked,
  )
  metrics.gauge({ name: 'mailroom_thread_indexes_bytes', help: 'Memory that their indexes take' }, () => threads.bytes)
  return (method, route, status, seconds) => metrics.requests.observe({ method, route: route ?? '', status }, seconds)
}

async function giveOut(
  metrics: Metrics,
  db: Db,
  { host, port }: Listening,
  starting: AsyncDisposableStack,
): Promise<Listening> {
  measureQueues(metrics, db)
  const listener = starting.use(new MetricsListener(metrics))
  await listener.listen(host, port)
  return { host, port: listener.port }
}

/** How long requests in hand may take once the API stops, in milliseconds. */
const mostClosingMs = 4_000

/** How long to wait for the data directory, in milliseconds. */
const mostWaitMs = 5_000

const everyHour = 3_600_000

/** Lets go of what was kept for a time only: answers to idempotent requests, which mail arrived
 *  lately, requests by key, scheduled messages that failed, who has been answered, whom forwarded mail came from. */
function keepHouse({ database: { db }, time, log }: Parts): Disposable {
  const round = async () => {
    await forgetAnswers(db)
    await forgetArrivals(db)
    await forgetRequests(db)
    const now = await time(db)
    await forgetFailed(db, now)
    await forgetAnswered(db, now)
    await forgetReturnPaths(db, now)
  }
  const timer = setInterval(() => void round().catch((err) => log.error({ err }, 'housekeeping failed')), everyHour)
  return { [Symbol.dispose]: () => clearInterval(timer) }
}
