import type { Config } from '#/app/config/config.ts'
import type { Metrics } from '#/app/metrics/metrics.ts'
import { Refusals } from '#/base/audit/refusals.ts'
import { EventFeed } from '#/base/event-log/feed.ts'
import { sealingKey } from '#/base/secrets/seal.ts'
import { Presence } from '#/events/presence/presence.ts'
import { perMinute } from '#/http/access/authorize.ts'
import { drainConnections } from '#/http/connections/drain-connections.ts'
import { SharedWindow } from '#/http/rate/shared-window.ts'
import type { ThreadCache } from '#/mail/threads/cache.ts'
import { Authenticator } from '#/people/keys/authenticate.ts'
import { attemptsKey } from '#/people/passwords/attempts.ts'
import { SessionAuthenticator } from '#/people/sessions/authenticate.ts'
import { type AppDependencies, buildApp } from './app.ts'
import type { Observers } from './observers.ts'
import { identityProviderOn } from './open-outside.ts'
import type { Outside } from './outside.ts'

/** How long open requests may take once the API stops, in milliseconds. */
const mostClosingMs = 4_000

export interface Api {
  /** Its URL: `http://127.0.0.1:8080`. */
  readonly http: string
  readonly drainConnections: () => Promise<void>
}

type Given = Pick<Outside, 'webDirectory' | 'database' | 'keyring' | 'clock' | 'time' | 'log' | 'allowReserved'> &
  Pick<
    AppDependencies,
    | 'idKey'
    | 'threads'
    | 'mailboxIndexes'
    | 'names'
    | 'checkDns'
    | 'runningChanges'
    | 'foreground'
    | 'reader'
    | 'openPgp'
    | 'publicHttp'
    | 'dispatch'
    | 'linkMail'
    | 'composer'
    | 'mailKey'
    | 'webhooks'
  >

/** Serves HTTP until `starting` is disposed. */
export async function startApi(
  config: Config,
  { database, keyring, ...given }: Given,
  { metrics, requests }: Observers,
  starting: AsyncDisposableStack,
): Promise<Api> {
  const { db, embedded } = database
  const { clock, threads } = given
  const authenticator = starting.use(new Authenticator(db, clock))
  const refusals = starting.use(new Refusals(db, given.log))
  const sessions = starting.use(new SessionAuthenticator(db, clock))
  const events = starting.use(new EventFeed(database, given.log))
  const presence = starting.use(new Presence(database, events, clock))
  const sharedRate = embedded ? undefined : starting.use(new SharedWindow(db, perMinute))
  const provider = identityProviderOn(config, clock)
  const app = await buildApp({
    ...{ ...given, db, events, presence, authenticator, sessions, refusals, sharedRate },
    attemptsKey: attemptsKey(keyring),
    totpKey: sealingKey(keyring, 'second factor'),
    answersKey: sealingKey(keyring, 'kept answers'),
    observe: metrics && observer(metrics, threads),
    follow: requests,
    trustedProxies: config.trustedProxies,
    publicUrl: config.publicUrl,
    passwords: config.passwords,
    signOn: config.singleSignOn && provider && { provider, admission: config.singleSignOn },
    hostname: config.hostname,
    tls: config.tls !== undefined,
    firstCheckAfter: config.dnsFirstCheckSeconds * 1_000,
  })
  starting.defer(async () => {
    // A client that does not read its answer must not delay the stop.
    events.end()
    const cut = setTimeout(() => app.server.closeAllConnections(), mostClosingMs)
    await app.close().finally(() => clearTimeout(cut))
  })
  const http = await app.listen(config.http)
  const drain = () => {
    events.end()
    return drainConnections(app.server)
  }
  return { http, drainConnections: drain }
}

function observer(metrics: Metrics, threads: ThreadCache): AppDependencies['observe'] {
  metrics.gauge(
    { name: 'mailroom_thread_indexes_asked', help: 'Lookups of the conversations of a folder', label: 'index' },
    () => threads.asked,
  )
  metrics.gauge(
    { name: 'mailroom_thread_indexes_bytes', help: 'Memory of indexes of conversations' },
    () => threads.bytes,
  )
  return (method, route, status, seconds) => metrics.requests.observe({ method, route: route ?? '', status }, seconds)
}
