import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { Logger } from 'pino'
import type { Sampling } from '#/app/config/tracing.ts'
import type { Follow } from '#/base/event-loop/follow.ts'
import { version } from '#/base/version.ts'
import type { App } from '#/http/app-type.ts'
import type { Relay } from '#/out/relay/relay.ts'
import type { MailHandler } from '#/smtp/protocol/mail-handler.ts'
import { followRequests } from './requests.ts'
import { followStatements } from './statements.ts'
import { tracedHandler, tracedRelay } from './traced.ts'
import { Tracing } from './tracing.ts'

/** Decorators that trace the parts of a service. */
export interface Traces extends AsyncDisposable {
  relay(relay: Relay): Relay
  handler(handler: MailHandler): MailHandler
  requests(app: App): void
  readonly follow: Follow
}

/** Sends traces to a collector (OTLP over HTTP) in batches, beside the work. If the collector is down or hangs, traces beyond the
 *  queue are dropped, and nothing else happens. */
export function openTraces(sampling: Sampling, log: Logger): Traces {
  const own = resourceFromAttributes({ 'service.name': 'mailroom', 'service.version': version })
  const resource = defaultResource()
    .merge(own)
    .merge(detectResources({ detectors: [envDetector] }))
  const exporter = logged(new OTLPTraceExporter(), log)
  const spanProcessors = [new BatchSpanProcessor({ exporter })]
  const tracing = new Tracing(new TracerProvider({ resource, sampler: samplerFor(sampling), spanProcessors }))
  const statements = followStatements(tracing)
  return {
    relay: (relay) => tracedRelay(relay, tracing),
    handler: (handler) => tracedHandler(handler, tracing),
    requests: (app) => followRequests(app, tracing),
    follow: (name, work) => tracing.span(name, { root: true }, work),
    async [Symbol.asyncDispose]() {
      statements[Symbol.dispose]()
      await tracing[Symbol.asyncDispose]()
    },
  }
}

function samplerFor({ ratio, parentBased }: Sampling): Sampler {
  const byRatio = () => (ratio === 0 ? new AlwaysOffSampler() : new TraceIdRatioBasedSampler(ratio))
  const root = ratio === 1 ? new AlwaysOnSampler() : byRatio()
  return parentBased ? new ParentBasedSampler({ root }) : root
}

const everyMinute = 60_000

/** Logs a failure to send traces, at most once a minute. */
function logged(exporter: SpanExporter, log: Logger): SpanExporter {
  let next = 0
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.error && performance.now() >= next) {
          next = performance.now() + everyMinute
          log.warn({ reason: result.error.message }, 'traces cannot be sent')
        }
        done(result)
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  }
}
