import { type Span, SpanKind, SpanStatusCode } from '@opentelemetry/api'
import type { FastifyRequest } from 'fastify'
import type { App } from '#/http/app-type.ts'
import type { Tracing } from './tracing.ts'

/** Traces every request, named by its route. A client's `traceparent` becomes the parent. */
export function followRequests(app: App, tracing: Tracing): void {
  const spans = new WeakMap<FastifyRequest, Span>()
  app.addHook('onRequest', (request, _reply, next) => {
    const { method, headers, routeOptions } = request
    const route = routeOptions.url
    const span = tracing.begin(route === undefined ? method : `${method} ${route}`, {
      kind: SpanKind.SERVER,
      attributes: { 'http.request.method': method, ...(route !== undefined && { 'http.route': route }) },
      traceparent: typeof headers.traceparent === 'string' ? headers.traceparent : undefined,
    })
    spans.set(request, span)
    tracing.within(span, next)
  })
  // Reading the body loses the async context.
  app.addHook('preValidation', (request, _reply, next) => {
    const span = spans.get(request)
    if (span) tracing.within(span, next)
    else next()
  })
  app.addHook('onResponse', async (request, { statusCode }) => {
    const span = spans.get(request)
    span?.setAttribute('http.response.status_code', statusCode)
    if (statusCode >= 500) span?.setStatus({ code: SpanStatusCode.ERROR })
    span?.end()
  })
}
