import { type AppParts, buildApp } from '#/app.ts'
import type { Config } from '#/config/config.ts'
import { perMinute } from '#/http/authorize.ts'
import { lastCall } from '#/http/last-call.ts'
import { SharedWindow } from '#/http/shared-window.ts'
import { Authenticator } from '#/keys/authenticate.ts'
import type { Metrics } from '#/metrics/metrics.ts'
import { idHashKey } from '#/mime/id-hash.ts'
import { composerWith } from '#/outbound/composer.ts'
import { Dispatch } from '#/outbound/dispatch.ts'
import type { OutboundWorker } from '#/outbound/worker.ts'
import { sealingKey } from '#/seal.ts'
import { blinding } from '#/sending/sealed.ts'
import { ThreadCache } from '#/threads/cache.ts'
import type { Observed, Parts, Shared } from './parts.ts'
import { mailKeyFor, signingKeysFor } from './worker.ts'

/** How long requests in hand may take once the API stops, in milliseconds. */
const mostClosingMs = 4_000

export interface Api {
  /** Where it answers, as `http://127.0.0.1:8080`. */
  readonly http: string
  readonly lastCall: () => Promise<void>
}

/** Answers HTTP until what is started ends. */
export async function startApi(
  config: Config,
  parts: Parts,
  { outbound, metrics, traces, ...shared }: Shared & Observed & { outbound: OutboundWorker },
  starting: AsyncDisposableStack,
): Promise<Api> {
  const { clock, time, keyring, log, allowReserved } = parts
  const { db, embedded } = parts.database
  const authenticator = starting.use(new Authenticator(db, () => clock.now()))
  const threads = new ThreadCache({
    mailHost: shared.mailHost,
    key: idHashKey(keyring),
    maxBytes: config.threadCacheBytes,
  })
  const sharedRate = embedded ? undefined : starting.use(new SharedWindow(db, perMinute))
  const answersKey = sealingKey(keyring, 'kept answers')
  const composer = composerWith(signingKeysFor(parts))
  const mailKey = mailKeyFor(parts)
  const dispatch = new Dispatch({
    ...{ db, ...shared, composer, relay: parts.relay, time, mailKey, blind: blinding(keyring) },
    // Where the worker is another process, it looks by itself, every two seconds.
    wake: () => config.roles.has('worker') && outbound.wake(),
  })
  const app = await buildApp({
    ...{ db, ...shared, dispatch, composer, mailKey, threads, authenticator },
    ...{ clock, time, log, sharedRate, answersKey, allowReserved },
    observe: metrics && observer(metrics, threads),
    follow: traces && ((app) => traces.requests(app)),
    hostname: config.hostname,
    tls: config.tls !== undefined,
    firstCheckAfter: config.dnsFirstCheckSeconds * 1_000,
  })
  starting.defer(async () => {
    // A client that does not read its answer must not hold up the stop.
    const cut = setTimeout(() => app.server.closeAllConnections(), mostClosingMs)
    await app.close().finally(() => clearTimeout(cut))
  })
  const http = await app.listen({ host: config.host, port: config.port })
  return { http, lastCall: () => lastCall(app.server) }
}

function observer(metrics: Metrics, threads: ThreadCache): AppParts['observe'] {
  metrics.gauge(
    { name: 'mailroom_thread_indexes_asked', help: 'Folders asked for as conversations', label: 'index' },
    () => threads.asked,
  )
  metrics.gauge({ name: 'mailroom_thread_indexes_bytes', help: 'Memory that their indexes take' }, () => threads.bytes)
  return (method, route, status, seconds) => metrics.requests.observe({ method, route: route ?? '', status }, seconds)
}
