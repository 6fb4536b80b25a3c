import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import type { Db } from '#/base/db/schema.ts'
import { type DatabaseHome, databaseHome } from '#test/world/database/database.ts'
import { type DnsServer, startDnsServer } from '#test/world/dns/dns-server.ts'
import { insertDue } from '#test/world/mail/due-mail.ts'
import { type StoredOrganization, storeOrganization } from '#test/world/organization/stored-organization.ts'
import { launchService, type Service, startService } from '#test/world/service.ts'
import { type Answer, HttpClient } from '#test/world/sockets/http-client.ts'
import { Sink } from '#test/world/sockets/sink.ts'

const usual = ['bob@there.example', 'cy@elsewhere.example']

/** A database with an organization that schedules messages, and a sink: services run on these and are killed. A
 *  round is made every second. */
export class PostOffice implements AsyncDisposable {
  readonly sink: Sink
  readonly organization: StoredOrganization
  readonly #home: DatabaseHome
  readonly #dns: DnsServer
  readonly #resources: AsyncDisposableStack
  #living: ChildProcess | undefined

  private constructor(
    parts: { home: DatabaseHome; dns: DnsServer; sink: Sink; organization: StoredOrganization },
    resources: AsyncDisposableStack,
  ) {
    this.sink = parts.sink
    this.organization = parts.organization
    this.#home = parts.home
    this.#dns = parts.dns
    this.#resources = resources
  }

  static async open(mailboxes: readonly string[] = ['ada']): Promise<PostOffice> {
    await using opening = new AsyncDisposableStack()
    const home = opening.use(await databaseHome())
    const dns = opening.use(await startDnsServer({ 'peer.example': { txt: ['v=spf1 ip4:127.0.0.1 -all'] } }))
    const sink = opening.use(await Sink.start())
    const organization = await storeOrganization(home, { domain: 'killed.test', mailboxes })
    return new PostOffice({ home, dns, sink, organization }, opening.move())
  }

  get address(): string {
    return this.organization.addresses[0] ?? ''
  }

  async start(more: Readonly<Record<string, string>> = {}): Promise<Service> {
    const service = await startService(this.#environment(more))
    // A test that fails leaves it running.
    this.#resources.defer(() => void service.process.kill('SIGKILL'))
    return service
  }

  /** Starts a service that is killed at a statement to the database (kill-at-statement.ts), and waits for that. */
  async untilKilled(at: Killing): Promise<void> {
    const launched = launchService(this.#environment(killedAt(at)))
    launched.running.catch(() => {})
    const [, signal] = await once(launched.process, 'exit')
    assert.equal(signal, 'SIGKILL')
  }

  /** Lets a service work until all is settled, or it is killed: at a statement, or by the test. */
  async life(at?: Killing): Promise<'killed' | 'settled'> {
    const launched = launchService(this.#environment(at ? killedAt(at) : {}))
    this.#living = launched.process
    const exited = once(launched.process, 'exit')
    const killed = exited.then(() => 'killed' as const)
    const working = launched.running.then((service) => this.untilSettled(service))
    if ((await Promise.race([killed, working]).catch(() => killed)) === 'killed') return 'killed'
    // It finishes claimed work, and may be killed there.
    launched.process.kill('SIGTERM')
    const [, signal] = await exited
    return signal === 'SIGKILL' ? 'killed' : 'settled'
  }

  /** Kills the running service (kill -9). */
  kill(): void {
    this.#living?.kill('SIGKILL')
  }

  /** While no service runs. */
  async behindClosedDoors<T>(work: (db: Db) => Promise<T>): Promise<T> {
    await using database = await this.#home.open()
    return await work(database.db)
  }

  /** Schedules a message, due now by default, and answers its id. Its Message-ID is `<id@x>`. */
  async schedule(db: Db, { subject, recipients = usual, sendAt = new Date() }: Letter): Promise<string> {
    const id = randomUUID()
    const { organization, address } = this
    await insertDue(db, { organizationId: organization.organizationId, address }, [{ id, recipients, subject, sendAt }])
    return id
  }

  /** Schedules one through the API, and answers its id; the same one where that letter was sent before. */
  async post(service: Service, { subject, recipients = usual, sendAt = new Date() }: Letter): Promise<string> {
    const body = { from: this.address, to: recipients, subject, text: 'Hello', send_at: sendAt.toISOString() }
    const answer = await this.request(service, 'POST', '/v1/scheduled', body, { 'idempotency-key': subject })
    assert.equal(answer.status, 201, answer.bytes.toString())
    return answer.body.id
  }

  /** The entries of a list of the API. */
  async list(service: Service, path: string): Promise<Listed[]> {
    return (await this.#get(service, path)).data
  }

  /** Waits until everything scheduled has gone or failed, of which events tell. */
  async untilSettled(service: Service): Promise<void> {
    for (;;) {
      const { next } = await this.#get(service, '/v1/events?after=now')
      if ((await this.list(service, '/v1/scheduled')).every(({ status }) => status === 'failed')) return
      await this.#get(service, `/v1/events?after=${next}&types=scheduled.sent,scheduled.failed&wait=30`)
    }
  }

  /** A request with the organization's key. */
  request({ http }: Pick<Service, 'http'>, method: string, path: string, body?: object, headers = {}): Promise<Answer> {
    const { key } = this.organization
    return new HttpClient(http).request(method, path, { key, headers, ...(body && { body }) })
  }

  async #get(service: Service, path: string) {
    return (await this.request(service, 'GET', path)).body as { data: Listed[]; next?: string }
  }

  #environment(more: Readonly<Record<string, string>>): Record<string, string> {
    return {
      ...this.#home.env,
      MAILROOM_DNS_SERVERS: this.#dns.address,
      MAILROOM_RELAY_URL: `smtp://127.0.0.1:${this.sink.port}?starttls=never`,
      MAILROOM_TICK_SECONDS: '1',
      ...more,
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#resources.disposeAsync()
  }
}

interface Letter {
  readonly subject: string
  readonly recipients?: readonly string[]
  readonly sendAt?: Date
}

interface Listed {
  readonly id: string
  readonly status: string
  readonly subject: string
}

/** A step of a service's work. */
export interface Killing {
  /** Texts that statements hold, which come one after the other. */
  readonly statements: readonly string[]
  /** A text in a parameter of each statement. */
  readonly about?: string
  readonly when: 'before' | 'after'
}

/** The environment in which a service is killed there. */
export function killedAt({ statements, about, when }: Killing): Record<string, string> {
  return {
    NODE_OPTIONS: `--import ${fileURLToPath(new URL('../kill/kill-at-statement.ts', import.meta.url))}`,
    KILL_AT_STATEMENT: JSON.stringify(statements),
    ...(about !== undefined && { KILL_ABOUT: about }),
    KILL_WHEN: when,
  }
}

/** Ends the leases of a killed process on messages. */
export async function leasesRunOut(db: Db): Promise<void> {
  await sql`
    update outbound_recipients set leased_until = leased_until - interval '1 minute'
    where state = 'sending'`.execute(db)
  await sql`
    update outbound_messages set copy_due_at = copy_due_at - interval '1 minute'
    where state = 'copy_pending'`.execute(db)
}

/** Ends the leases of a killed process on rows of a table. */
export function leasesEnd(table: string) {
  return (db: Db) => sql`update ${sql.table(table)} set leased_until = leased_until - interval '1 hour'`.execute(db)
}

/** Advances time until leases have ended, and all that waits is due. */
export async function timePasses(db: Db): Promise<void> {
  await leasesRunOut(db)
  await sql`update outbound_recipients set due_at = now() where state in ('waiting', 'suspect')`.execute(db)
}

/** The header's line. */
export function fieldOf(bytes: Buffer | undefined, name: string): string | undefined {
  return new RegExp(`^${name}: .*`, 'm').exec(bytes?.toString('latin1') ?? '')?.[0]
}
