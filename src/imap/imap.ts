import type { Database } from '#/base/db/open.ts'
import type { Network } from '#/base/network/ip-address.ts'
import type { Listening, TlsFiles } from '#/base/network/listening.ts'
import { FolderNews } from '#/imap/selected/folder-news.ts'
import { Certificate } from '#/smtp/connection/certificate.ts'
import type { LoginDependencies } from '#/smtp/submission/log-in.ts'
import { commands } from './commands.ts'
import { tell } from './selected/tell.ts'
import { Budgets } from './session/budgets.ts'
import { serveBy } from './session/imap-session.ts'
import { LiveSessions } from './session/live-sessions.ts'
import { loginBy } from './session/log-in.ts'
import type { ImapDependencies } from './session/session.ts'
import { IMAP_LIMITS } from './wire/limits.ts'
import { ImapListener, type ImapListenerConfig } from './wire/listener.ts'
import { LiteralMemory } from './wire/literal-memory.ts'

export interface ImapSettings {
  /** With STARTTLS where there is a certificate. */
  readonly imap: Listening
  readonly imapTls: Listening | undefined
  readonly imapProxies: readonly Network[]
  readonly hostname: string
  readonly tls: TlsFiles | undefined
}

export interface ImapServerDependencies extends Omit<ImapDependencies, 'db' | 'news'> {
  readonly database: Database
  readonly key: LoginDependencies['key']
  readonly observe?: LoginDependencies['observe']
  readonly config: ImapSettings
}

/** The actual ports; for a configured 0 any free one. */
export interface Imap extends AsyncDisposable {
  readonly starttls: Listening | undefined
  readonly tls: Listening | undefined
  /** Connections that are signed in. */
  readonly signedIn: () => number
}

/** IMAP for mail programs (RFC 9051; docs/reference/imap.md), until it is disposed. */
export async function startImap({ database, key, observe, config, ...given }: ImapServerDependencies): Promise<Imap> {
  const { db } = database
  const { clock, log } = given
  await using starting = new AsyncDisposableStack()
  const tls = config.tls && (await Certificate.open(config.tls, clock, log))
  const news = starting.use(new FolderNews(database, log))
  const live = starting.use(new LiveSessions(db, log))
  const serve = serveBy({
    ...{ ...given, db, news, live, commands, tell, hostname: config.hostname, budgets: new Budgets() },
    logIn: loginBy({ db, key, log, observe }),
    inClearFromHere: tls === undefined,
  })
  const memory = new LiteralMemory(IMAP_LIMITS)
  const open = async (at: Listening | undefined, how: ImapListenerConfig) => {
    if (!at) return undefined
    const listener = starting.use(new ImapListener({ ...how, proxies: config.imapProxies, memory }, serve, log))
    await listener.listen(at.host, at.port)
    return { host: at.host, port: listener.port }
  }
  const starttls = await open(config.imap, { ...(tls && { tls }) })
  const implicit = tls && (await open(config.imapTls, { tls, implicitTls: true }))
  const started = starting.move()
  return { starttls, tls: implicit, signedIn: () => live.count, [Symbol.asyncDispose]: () => started.disposeAsync() }
}
