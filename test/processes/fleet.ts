import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { sql } from 'kysely'
import { type Role, roles } from '#/app/config/roles.ts'
import type { Database } from '#/base/db/open.ts'
import type { Db } from '#/base/db/schema.ts'
import { type DatabaseHome, databaseHome } from '#test/world/database/database.ts'
import { startDnsServer } from '#test/world/dns/dns-server.ts'
import { hand as handIn, letter } from '#test/world/letters/letter.ts'
import { telling } from '#test/world/observe/writes.ts'
import { type StoredOrganization, storeOrganization } from '#test/world/organization/stored-organization.ts'
import { launchService, type Service } from '#test/world/service.ts'
import { type Answer, HttpClient } from '#test/world/sockets/http-client.ts'
import { Sink } from '#test/world/sockets/sink.ts'

/** The number of processes of each role; 0 by default. */
export type Numbers = Readonly<Partial<Record<Role, number>>>

export const two: Numbers = { api: 2, mx: 2, worker: 2 }

export interface FleetOptions {
  readonly numbers?: Numbers
  /** In place of a database of its own on the tests' server. */
  readonly home?: DatabaseHome
  /** For the process of that role with this index. */
  readonly env?: (role: Role, number: number) => Readonly<Record<string, string>>
}

/** An installation of several processes by role over one PostgreSQL: an organization, a sink for what leaves, and a name server
 *  that knows nobody. */
export class Fleet implements AsyncDisposable {
  /** The tests' own connections to what the processes share. */
  readonly database: Database
  readonly sink: Sink
  readonly organization: StoredOrganization
  readonly env: Readonly<Record<string, string>>
  /** Lines of the processes' logs at level `error` or above. */
  readonly complaints: string[] = []
  /** That a process has written mail or a queue, says a line, has started or has ended. */
  readonly #news = new EventEmitter<{ news: [] }>()
  readonly #running: Record<Role, Service[]> = { api: [], mx: [], submission: [], imap: [], worker: [] }
  readonly #processes = new AsyncDisposableStack()
  #resources = new AsyncDisposableStack()

  private constructor(parts: Pick<Fleet, 'database' | 'sink' | 'organization' | 'env'>) {
    this.database = parts.database
    this.sink = parts.sink
    this.organization = parts.organization
    this.env = parts.env
    this.#news.setMaxListeners(0)
  }

  static async start({ numbers = two, home: given, env = () => ({}) }: FleetOptions = {}): Promise<Fleet> {
    await using starting = new AsyncDisposableStack()
    const home = given ?? starting.use(await databaseHome())
    const dns = starting.use(await startDnsServer({ 'far.example': { txt: ['v=spf1 ip4:127.0.0.1 -all'] } }))
    const sink = starting.use(await Sink.start())
    const organization = await storeOrganization(home, { domain: 'fleet.test', mailboxes: ['ada', 'bob', 'cy'] })
    const database = starting.use(await home.open())
    const common = {
      ...home.env,
      MAILROOM_DNS_SERVERS: dns.address,
      MAILROOM_RELAY_URL: `smtp://127.0.0.1:${sink.port}?starttls=never`,
      MAILROOM_TICK_SECONDS: '1',
    }
    const fleet = new Fleet({ database, sink, organization, env: common })
    starting.use(fleet.#processes)
    await Promise.all(
      roles.map(async (role) => {
        const started = Array.from({ length: numbers[role] ?? 0 }, (_, number) => fleet.#start(role, env(role, number)))
        fleet.#running[role].push(...(await Promise.all(started)))
      }),
    )
    fleet.#resources = starting.move()
    return fleet
  }

  get db(): Db {
    return this.database.db
  }

  /** Mailboxes that mail streams into. */
  get busy(): readonly string[] {
    return this.organization.addresses.slice(0, 2)
  }

  /** A mailbox for checks that mail arrives. */
  get quiet(): string {
    return this.organization.addresses[2] ?? ''
  }

  /** The running processes of a role, the oldest first. */
  of(role: Role): readonly Service[] {
    return this.#running[role]
  }

  one(role: Role, number = 0): Service {
    const running = this.of(role)
    const service = running[number % running.length]
    assert.ok(service, `a process of the role ${role} runs`)
    return service
  }

  /** Any running process, once there is one. */
  async some(role: Role): Promise<Service> {
    await this.until(async () => this.of(role).length > 0)
    const running = this.of(role)
    return running[Math.floor(Math.random() * running.length)] ?? this.some(role)
  }

  /** Resolves once it holds. It is looked at now and at all news. */
  async until(holds: () => Promise<boolean>): Promise<void> {
    for (let next = once(this.#news, 'news'); !(await holds()); next = once(this.#news, 'news')) await next
  }

  /** Starts one more. */
  async add(role: Role, more: Readonly<Record<string, string>> = {}): Promise<Service> {
    const service = await this.#start(role, more)
    this.#running[role].push(service)
    this.#news.emit('news')
    return service
  }

  async #start(role: Role, more: Readonly<Record<string, string>>): Promise<Service> {
    const env = telling(['arrivals', 'outbound_messages', 'outbound_recipients'], { ...this.env, ...more })
    const launched = launchService(env, ['serve', '--roles', role])
    const news = () => void this.#news.emit('news')
    launched.process.on('exit', news).stdout?.on('data', news)
    launched.process.stderr?.on('data', news)
    launched.process.stderr?.on('data', (chunk: Buffer) => {
      this.complaints.push(...(chunk.toString().match(/^\{"level":[56]0.*$/gm) ?? []))
    })
    this.#processes.defer(async () => {
      if (isRunning(launched.process)) await launched.end('SIGKILL')
    })
    return await launched.running
  }

  /** Stops one gracefully. Clients are sent to others from then on. */
  async stop(service: Service): Promise<void> {
    this.#forget(service)
    assert.deepEqual(await service.end('SIGTERM'), { code: 0, signal: null })
  }

  /** kill -9 */
  async kill(service: Service): Promise<void> {
    this.#forget(service)
    await service.end('SIGKILL')
  }

  request(api: Service, method: string, path: string, body?: unknown, key = this.organization.key): Promise<Answer> {
    return new HttpClient(api.http).request(method, path, { key, ...(body !== undefined && { body }) })
  }

  /** The number of messages that are neither sent nor failed. */
  async waiting(): Promise<number> {
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from outbound_messages where state <> 'failed'`.execute(this.db)
    return rows[0]?.count ?? 0
  }

  /** Hands a message to one of the mx processes. Answers the last reply, as in `250 2.6.0`. */
  hand(mx: Service, from: string, to: string | readonly string[], fields: Record<string, string> = {}) {
    return handIn(mx, from, to, letter(fields))
  }

  #forget(service: Service): void {
    for (const running of Object.values(this.#running)) {
      const at = running.indexOf(service)
      if (at >= 0) running.splice(at, 1)
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#resources.disposeAsync()
  }
}

function isRunning({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null
}
