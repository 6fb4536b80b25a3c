import type { Logger } from 'pino'
import type { Config } from '#/app/config/config.ts'
import { MetricsListener } from '#/app/metrics/listener.ts'
import { measureMachine } from '#/app/metrics/machine.ts'
import { measuredHandler, measuredRelay } from '#/app/metrics/measured.ts'
import type { Metrics } from '#/app/metrics/metrics.ts'
import { measureQueues } from '#/app/metrics/queues.ts'
import type { Database } from '#/base/db/open.ts'
import type { Follow } from '#/base/event-loop/follow.ts'
import type { Loop } from '#/base/event-loop/loop.ts'
import type { Listening } from '#/base/network/listening.ts'
import type { App } from '#/http/app-type.ts'
import type { Relay } from '#/out/relay/relay.ts'
import type { MailHandler } from '#/smtp/protocol/mail-handler.ts'
import type { DnsHealth } from './dns-health.ts'

/** Metrics and traces, if configured. Each function wraps a part of the service, or returns it unchanged. */
export interface Observers extends AsyncDisposable {
  readonly metrics: Metrics | undefined
  readonly follow: Follow | undefined
  readonly requests: ((app: App) => void) | undefined
  relay(relay: Relay): Relay
  handler(handler: MailHandler): MailHandler
}

export async function observersFor(config: Config, log: Logger): Promise<Observers> {
  // What they need is loaded only if they are configured.
  const metrics = config.metrics && new (await import('#/app/metrics/metrics.ts')).Metrics()
  const traces = config.tracing && (await import('#/app/tracing/open.ts')).openTraces(config.tracing, log)
  const wrapping =
    <T>(measure: (part: T, metrics: Metrics) => T, trace: ((part: T) => T) | undefined) =>
    (part: T): T => {
      const measured = metrics ? measure(part, metrics) : part
      return trace ? trace(measured) : measured
    }
  return {
    metrics,
    follow: traces?.follow,
    requests: traces?.requests,
    relay: wrapping(measuredRelay, traces?.relay),
    handler: wrapping(measuredHandler, traces?.handler),
    [Symbol.asyncDispose]: async () => traces?.[Symbol.asyncDispose](),
  }
}

/** Serves the metrics until `starting` is disposed. */
export async function listenForMetrics(
  metrics: Metrics,
  config: Config,
  {
    database: { db },
    droppedLines,
    dns,
    loops,
  }: {
    database: Database
    droppedLines?: (() => number) | undefined
    dns: DnsHealth
    /** By name, those that have been started. */
    loops: Readonly<Record<string, Loop>>
  },
  starting: AsyncDisposableStack,
): Promise<Listening | undefined> {
  if (!config.metrics) return undefined
  measureQueues(metrics, db)
  measureMachine(metrics, config)
  metrics.gauge({ name: 'mailroom_dns_away', help: 'Whether the last lookups of this process all failed' }, () =>
    Number(dns.isAway),
  )
  metrics.total(
    { name: 'mailroom_background_errors_total', help: 'Internal errors of background work', label: 'loop' },
    () => Object.fromEntries(Object.entries(loops).map(([name, { errors }]) => [name, errors])),
  )
  if (droppedLines)
    metrics.total(
      { name: 'mailroom_log_lines_dropped_total', help: 'Lines of the log that could not be written' },
      droppedLines,
    )
  const listener = starting.use(new MetricsListener(metrics))
  const { host, port } = config.metrics
  await listener.listen(host, port)
  return { host, port: listener.port }
}
