import type { Config, Listening } from '#/config/config.ts'
import type { Database } from '#/db/open.ts'
import type { DomainChecks } from '#/domains/checks.ts'
import { admissionBy } from '#/inbound/admit.ts'
import type { MailTaker } from '#/inbound/host.ts'
import { receptionFor, startInbound } from '#/inbound/inbound.ts'
import { OwnDoor } from '#/inbound/own.ts'
import { MetricsListener } from '#/metrics/listener.ts'
import { measureMachine } from '#/metrics/machine.ts'
import { measuredMailHost, measuredRelay, measuredTaker } from '#/metrics/measured.ts'
import { Metrics } from '#/metrics/metrics.ts'
import { measureQueues } from '#/metrics/queues.ts'
import { MessageReader } from '#/mime/reader.ts'
import { relayMarkKey } from '#/mime/relay-mark.ts'
import { OpenPgp } from '#/openpgp/openpgp.ts'
import { returnPaths } from '#/outbound/return-paths.ts'
import type { Rounds } from '#/outbound/rounds.ts'
import { Srs } from '#/outbound/srs.ts'
import type { OutboundWorker } from '#/outbound/worker.ts'
import type { MailHost } from '#/ports/mail-host.ts'
import type { Relay } from '#/ports/relay.ts'
import type { openTraces as open, Traces } from '#/tracing/open.ts'
import { mailHostOn } from './adapters.ts'
import { startApi } from './api.ts'
import { keepHouse } from './housekeeping.ts'
import type { Observed, Parts } from './parts.ts'
import { submissionFor } from './submission.ts'
import { checksOfDomains, copiesFor, followUpsFor, mailOut, roundsFor } from './worker.ts'

/** A running Mailroom. Disposing it stops accepting, finishes what is in hand and closes everything that it opened. */
export interface Running extends AsyncDisposable {
  readonly database: Database
  readonly mailHost: MailHost
  /** Where the API answers, as `http://127.0.0.1:8080`; undefined where this process has not that role. */
  readonly http: string | undefined
  /** Has the clients of the API go elsewhere, before a stop; resolves once they have, or had the time to. */
  readonly lastCall: () => Promise<void>
  readonly smtp: Listening | undefined
  readonly lmtp: Listening | undefined
  readonly policy: Listening | undefined
  readonly submission: Listening | undefined
  readonly submissionTls: Listening | undefined
  readonly submissionProxy: Listening | undefined
  readonly metrics: Listening | undefined
  readonly domainChecks: DomainChecks
  readonly outbound: OutboundWorker
  /** Hands over what was scheduled. */
  readonly rounds: Rounds
}

/** Starts what the configuration's roles ask for, on parts that are open and stay open. */
export async function compose(config: Config, given: Parts): Promise<Running> {
  await using starting = new AsyncDisposableStack()
  const metrics = config.metrics && new Metrics()
  const traces = config.tracing && starting.use(await openTraces(config.tracing, given.log))
  const observed = around({ metrics, traces })
  const parts = { ...given, relay: observed.relay(given.relay), follow: traces?.follow }
  const { database, clock, time, resolver, keyring, log } = parts
  const { db } = database
  const reader = starting.use(new MessageReader())
  const stored = mailHostOn(config, db, keyring, { reader, log })
  starting.defer(async () => stored[Symbol.asyncDispose]?.())
  const mailHost = observed.mailHost(stored)
  const openPgp = starting.use(new OpenPgp())
  const shared = { mailHost, reader, openPgp }
  // Where the worker is another process, it looks by itself.
  const wake = () => config.roles.has('worker') && outbound.wake()
  const followUps = followUpsFor(parts, wake)
  const admission = admissionBy(db, stored, config.hostname, returnPaths({ db, srs: new Srs(keyring), time }))
  const markKey = relayMarkKey(keyring)
  const reception = receptionFor({ db, ...shared, followUps, markKey, resolver, config, log })
  const local = new OwnDoor(reception, admission, clock)
  const copies = starting.use(copiesFor(parts, shared))
  const outbound: OutboundWorker = starting.use(mailOut(config, parts, shared, { local, copies }))
  const rounds = starting.use(roundsFor(config, parts, { outbound, copies }))
  const api = config.roles.has('api')
    ? await startApi(config, parts, { ...shared, outbound, metrics, traces }, starting)
    : undefined
  const inbound = config.roles.has('mx')
    ? starting.use(await startInbound({ reception, admission, clock, config, log, measured: observed.taker }))
    : undefined
  const submission = config.roles.has('submission')
    ? starting.use(await submissionFor(config, parts, { ...shared, admission, wake, metrics }))
    : undefined
  const domainChecks = starting.use(checksOfDomains(config, parts))
  if (config.roles.has('worker')) {
    domainChecks.start()
    outbound.start()
    rounds.start(config.tickSeconds * 1_000)
    starting.use(keepHouse(parts))
  }
  const metricsAt = config.metrics && metrics && (await giveOut(metrics, parts, config, config.metrics, starting))
  const started = starting.move()
  return {
    database,
    mailHost,
    http: api?.http,
    lastCall: async () => api?.lastCall(),
    domainChecks,
    outbound,
    rounds,
    smtp: inbound?.smtp,
    lmtp: inbound?.lmtp,
    policy: inbound?.policy,
    submission: submission?.starttls,
    submissionTls: submission?.tls,
    submissionProxy: submission?.proxied,
    metrics: metricsAt,
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  }
}

/** Loaded where it is asked for alone. */
async function openTraces(...given: Parameters<typeof open>): Promise<Traces> {
  return (await import('#/tracing/open.ts')).openTraces(...given)
}

/** What metrics and traces stand around, if there are any. */
function around({ metrics, traces }: Observed) {
  return {
    relay(relay: Relay): Relay {
      const measured = metrics ? measuredRelay(relay, metrics) : relay
      return traces ? traces.relay(measured) : measured
    },
    mailHost(mailHost: MailHost): MailHost {
      const measured = metrics ? measuredMailHost(mailHost, metrics) : mailHost
      return traces ? traces.mailHost(measured) : measured
    },
    taker(taker: MailTaker): MailTaker {
      const measured = metrics ? measuredTaker(taker, metrics) : taker
      return traces ? traces.taker(measured) : measured
    },
  }
}

async function giveOut(
  metrics: Metrics,
  { database: { db }, droppedLines }: Parts,
  config: Config,
  { host, port }: Listening,
  starting: AsyncDisposableStack,
): Promise<Listening> {
  measureQueues(metrics, db)
  measureMachine(metrics, config)
  if (droppedLines)
    metrics.total(
      { name: 'mailroom_log_lines_dropped_total', help: 'Lines of the log that could not be written' },
      droppedLines,
    )
  const listener = starting.use(new MetricsListener(metrics))
  await listener.listen(host, port)
  return { host, port: listener.port }
}
