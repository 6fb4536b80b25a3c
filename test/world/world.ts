import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { createTransport, type SendMailOptions } from 'nodemailer'
import { type DestinationStream, type Logger, pino } from 'pino'
import { readConfig } from '#/app/config/config.ts'
import { assemble, type Running } from '#/app/server/assemble.ts'
import { byOperator } from '#/base/audit/actor.ts'
import { ManualClock } from '#/base/clock/manual.ts'
import type { Database } from '#/base/db/open.ts'
import type { Db } from '#/base/db/schema.ts'
import type { SharedTime } from '#/base/db/time.ts'
import type { Listening } from '#/base/network/listening.ts'
import type { Resolver } from '#/base/network/resolver.ts'
import type { Keyring } from '#/base/secrets/keyring.ts'
import { ZoneResolver } from '#/domains/resolver/zone.ts'
import { type IdHashKey, idHashKey } from '#/formats/mime/id-hash.ts'
import { scopes as allScopes } from '#/http/access/scopes.ts'
import { appendCopies } from '#/mail/store/append-copies.ts'
import type { Copy } from '#/mail/store/copy-to-append.ts'
import { keptPolicies } from '#/out/delivery/kept-policies.ts'
import { DirectMxRelay } from '#/out/relay/direct-mx/direct-mx.ts'
import type { Relay } from '#/out/relay/relay.ts'
import { SmarthostRelay } from '#/out/relay/smarthost.ts'
import { createOrganization } from '#/people/organizations/register.ts'
import { testDatabase } from '#test/world/database/database.ts'
import { ofFile } from '#test/world/of-file.ts'
import { TestOrganization } from '#test/world/organization/test-organization.ts'
import { insertVerifiedDomain } from '#test/world/organization/verified-domain.ts'
import { HttpClient } from '#test/world/sockets/http-client.ts'
import { PictureSite } from '#test/world/sockets/picture-site.ts'
import type { Sink } from '#test/world/sockets/sink.ts'
import { hostname, keyring as usual } from './installation.ts'

export interface WorldOptions {
  readonly env?: Record<string, string>
  readonly database?: Database
  /** Asked in place of the world's own DNS. */
  readonly resolver?: Resolver
  /** The relay for all outgoing mail; by default it goes to the mail hosts that `dns` names. */
  readonly sink?: Sink
  /** In place of either. */
  readonly relay?: Relay
  /** In place of the world's own clock, for what processes on one database must agree on. */
  readonly time?: SharedTime
  /** In place of one with the secret of all tests. */
  readonly keyring?: Keyring
  /** Where the log goes; nowhere by default. */
  readonly log?: DestinationStream
  /** Whether mail is indexed for search as it comes. Else a test that searches says when (`searchIndexer`). */
  readonly indexing?: boolean
  /** Where a build of the web app is, which it serves. */
  readonly web?: string | undefined
}

/** Of the running service, what tests use. Listeners beside HTTP and SMTP are there where the environment asks for them. */
interface Parts
  extends Pick<Running, 'domainChecks' | 'outbound' | 'rounds' | 'searchIndexer' | 'runningChanges' | 'filterRunner'>,
    Pick<Running, 'foreground' | 'lmtp' | 'policy' | 'submission' | 'submissionTls'>,
    Pick<Running, 'imap' | 'imapTls' | 'metrics'> {
  readonly database: Database
  /** Hashes Message-IDs. */
  readonly idKey: IdHashKey
  readonly base: string
  readonly smtp: Listening
  readonly clock: ManualClock
  readonly dns: ZoneResolver
}

/** A whole service for a test: its own database, DNS and clock, on ports of its own. */
export class World extends (class {} as new () => Parts) implements AsyncDisposable {
  readonly db: Db
  readonly client: HttpClient
  readonly #resources: AsyncDisposableStack
  #count = 0
  #pictures: Promise<PictureSite> | undefined

  private constructor(parts: Parts, resources: AsyncDisposableStack) {
    super()
    Object.assign(this, parts)
    this.db = parts.database.db
    this.client = new HttpClient(parts.base)
    this.#resources = resources
  }

  static async start(options: WorldOptions = {}): Promise<World> {
    const { env = {}, database, resolver, sink, relay, time, keyring, log, indexing = false, web } = options
    await using starting = new AsyncDisposableStack()
    const settings = {
      ...{ PORT: '0', MAILROOM_SMTP_PORT: '0', MAILROOM_IMAP_PORT: '0', MAILROOM_HOSTNAME: hostname },
      ...(env.MAILROOM_TLS_CERT !== undefined && { MAILROOM_IMAPS_PORT: '0' }),
    }
    const config = readConfig({ ...settings, ...env })
    const opened = database ?? starting.use(await testDatabase())
    const clock = new ManualClock(new Date())
    const dns = new ZoneResolver()
    const logger = log ? pino({}, log) : pino({ level: 'silent' })
    const running = starting.use(
      await assemble(config, {
        database: opened,
        clock,
        time: time ?? (async () => new Date(clock.now())),
        resolver: resolver ?? dns,
        quorum: resolver ?? dns,
        relay:
          relay ?? starting.use(sink ? relayTo(sink) : directRelay(opened.db, { resolver: dns, clock, log: logger })),
        keyring: keyring ?? usual,
        allowReserved: true,
        picturesFrom: (address) => address === '127.0.0.1',
        webDirectory: web,
        log: logger,
      }),
    )
    if (!indexing) await running.searchIndexer?.[Symbol.asyncDispose]()
    await running.filterRunner[Symbol.asyncDispose]()
    // They begin by the machine's clock: one in a test would send what the test has yet to change.
    running.rounds[Symbol.dispose]()
    if (!running.http || !running.smtp) throw new Error('a world has the roles api and mx')
    const { http: base, smtp } = running
    // The world ends more than the service.
    const { [Symbol.asyncDispose]: _end, ...parts } = running
    const idKey = idHashKey(keyring ?? usual)
    return new World({ ...parts, idKey, database: opened, base, smtp, clock, dns }, starting.move())
  }

  /** For all tests of a file; it ends after them. */
  static async ofFile(options?: WorldOptions): Promise<World> {
    return ofFile(await World.start(options))
  }

  /** A new organization with a verified domain of its own and a key that may do everything. */
  async organization({ plan = 'team' }: { plan?: string } = {}): Promise<TestOrganization> {
    const name = `org-${++this.#count}-${randomUUID().slice(0, 8)}`
    const { id } = await createOrganization(this.db, { name, plan }, byOperator)
    const domain = `${name}.test`
    await insertVerifiedDomain(this.db, id, domain)
    const organization = new TestOrganization(this, { id, name, domain })
    organization.key = await organization.newKey(...allScopes)
    return organization
  }

  /** A new organization, and a mailbox of it. */
  async mailbox(localPart: string, options: { plan?: string } = {}) {
    const organization = await this.organization(options)
    return { organization, ...(await organization.mailbox(localPart)) }
  }

  /** Lets time pass, also for what the database has noted of requests. */
  async advance(milliseconds: number): Promise<void> {
    this.clock.advance(milliseconds)
    await sql`update request_uses set used_at = used_at - ${milliseconds} * interval '1 millisecond'`.execute(this.db)
  }

  /** Stores copies in mailboxes. */
  async store(copies: readonly Copy[]): Promise<void> {
    await this.db.transaction().execute((tx) => appendCopies(tx, this.idKey, copies))
  }

  /** Sends a message over SMTP, as another mail server does. Rejects with the reply if it is refused. */
  async send(message: SendMailOptions): Promise<void> {
    const transport = createTransport({ ...this.smtp, ignoreTLS: true, name: 'peer.example' })
    try {
      await transport.sendMail(message)
    } finally {
      transport.close()
    }
  }

  /** The address of a picture on another server, for messages to name. */
  async picture(): Promise<string> {
    this.#pictures ??= PictureSite.start().then((site) => this.#resources.use(site))
    return (await this.#pictures).picture
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#resources.disposeAsync()
  }
}

function relayTo({ port }: Sink): Relay {
  const peer = { host: '127.0.0.1', address: '127.0.0.1', port, tls: 'never' } as const
  return new SmarthostRelay({ peer, name: hostname })
}

function directRelay(db: Db, parts: { resolver: Resolver; clock: ManualClock; log: Logger }): Relay {
  return new DirectMxRelay({ ...parts, name: hostname, allowPrivate: true, keptPolicies: keptPolicies(db) })
}
