import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout } from 'node:timers/promises'
import {
  type Attributes,
  type Context,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api'

export interface Beginning {
  readonly kind?: SpanKind
  readonly attributes?: Attributes
  /** W3C Trace Context, from a client. */
  readonly traceparent?: string | undefined
  /** Has no parent. */
  readonly root?: boolean
}

interface Provider {
  getTracer(name: string): Tracer
  shutdown(): Promise<void>
}

/** How long a stop may wait for the collector, in milliseconds. */
const mostFlushMs = 2_000

/** Traces work in spans. A span's parent is the one in which it began. */
export class Tracing implements AsyncDisposable {
  readonly #provider: Provider
  readonly #tracer: Tracer
  readonly #current = new AsyncLocalStorage<Span>()

  constructor(provider: Provider) {
    this.#provider = provider
    this.#tracer = provider.getTracer('mailroom')
  }

  /** Whether the current span is recorded and has not ended. */
  get follows(): boolean {
    return this.#current.getStore()?.isRecording() ?? false
  }

  begin(name: string, { kind = SpanKind.INTERNAL, attributes = {}, traceparent, root }: Beginning = {}): Span {
    const parent = root ? undefined : this.#parent()
    const context = parent ? trace.setSpan(ROOT_CONTEXT, parent) : begunElsewhere(traceparent)
    return this.#tracer.startSpan(name, { kind, attributes }, context)
  }

  /** Work that outlives its span, such as a loop of a worker, no longer belongs to that span. */
  #parent(): Span | undefined {
    const current = this.#current.getStore()
    const ended = current && !current.isRecording() && (current.spanContext().traceFlags & TraceFlags.SAMPLED) !== 0
    return ended ? undefined : current
  }

  /** Makes the span the parent of spans that begin in `work`. */
  within<T>(span: Span, work: () => T): T {
    return this.#current.run(span, work)
  }

  /** Runs the work in a span of its own. */
  async span<T>(name: string, beginning: Beginning, work: (span: Span) => Promise<T>): Promise<T> {
    const span = this.begin(name, beginning)
    try {
      return await this.within(span, () => work(span))
    } catch (error) {
      fail(span, error)
      throw error
    } finally {
      span.end()
    }
  }

  /** Sends the remaining spans, within a time limit. */
  async [Symbol.asyncDispose](): Promise<void> {
    const sent = this.#provider.shutdown().catch(() => {})
    await Promise.race([sent, setTimeout(mostFlushMs, undefined, { ref: false })])
  }
}

/** Records the kind of the error only: its message may quote mail. */
export function fail(span: Span, error: unknown): void {
  const { name, code } = error as { name?: unknown; code?: unknown }
  span.setAttribute('error.type', typeof code === 'string' ? code : typeof name === 'string' ? name : typeof error)
  span.setStatus({ code: SpanStatusCode.ERROR })
}

/** W3C Trace Context, section 3.2. An invalid one begins a new trace. */
function begunElsewhere(traceparent: string | undefined): Context {
  const [, version, traceId = '', spanId = '', flags = '', rest = ''] =
    /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/.exec(traceparent ?? '') ?? []
  const span = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true }
  const known = version !== undefined && version !== 'ff' && (version !== '00' || rest === '')
  return known && isSpanContextValid(span) ? trace.setSpanContext(ROOT_CONTEXT, span) : ROOT_CONTEXT
}
