import { once } from 'node:events'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { startDnsServer } from '#test/dns/dns-server.ts'
import { type Killing, killedAt } from '#test/faults/letters/post-office.ts'
import { hand, letter } from '#test/mail/letter.ts'
import { DovecotServer } from '#test/peers/dovecot/imap-server.ts'
import { HttpClient } from '#test/sockets/http-client.ts'
import { type DatabaseHome, databaseHome } from '#test/world/database/database.ts'
import { type StoredOrganization, storeOrganization } from '#test/world/organization/stored-organization.ts'
import { type Service, startService } from '#test/world/service.ts'

/** A service on a Dovecot, and mailboxes with the same messages in each, for tests that kill it and start it again. */
export class KilledService implements AsyncDisposable {
  readonly #resources: AsyncDisposableStack
  readonly #home: DatabaseHome
  readonly #env: Record<string, string>
  readonly #organization: StoredOrganization

  private constructor(
    resources: AsyncDisposableStack,
    home: DatabaseHome,
    env: Record<string, string>,
    organization: StoredOrganization,
  ) {
    this.#resources = resources
    this.#home = home
    this.#env = env
    this.#organization = organization
  }

  static async prepare(boxes: readonly string[], subjects: readonly string[], filters: readonly object[]) {
    await using starting = new AsyncDisposableStack()
    const dovecot = starting.use(await DovecotServer.start())
    const home = starting.use(await databaseHome())
    const dns = starting.use(await startDnsServer({ 'peer.example': { txt: ['v=spf1 ip4:127.0.0.1 -all'] } }))
    const env = { ...home.env, MAILROOM_DNS_SERVERS: dns.address, MAILROOM_IMAP_URL: dovecot.url }
    const organization = await storeOrganization(home, { domain: 'run.test', mailboxes: [...boxes] })
    const service = await startService(env)
    const prepared = new KilledService(starting.move(), home, env, organization)
    for (const Subject of subjects) await hand(service, 'ann@peer.example', organization.addresses, letter({ Subject }))
    for (const body of filters) await prepared.ask(service, 'POST', '/v1/filters', body)
    for (const box of boxes) {
      while ((await prepared.messages(service, box)).length < subjects.length) await pause(100)
    }
    await service.end('SIGTERM')
    return prepared
  }

  /** Answers the body. */
  async ask({ http }: { readonly http: string }, method: string, path: string, body?: object) {
    const answer = await new HttpClient(http).request(method, path, {
      key: this.#organization.key,
      ...(body && { body }),
    })
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.bytes}`)
    return answer.body
  }

  async messages(service: { readonly http: string }, box: string, folder = 'inbox') {
    const { data } = await this.ask(service, 'GET', `/v1/messages?mailbox=${box}@run.test&folder=${folder}`)
    return data as { subject: string; unread: boolean; starred: boolean }[]
  }

  /** The newest of a list, once it does not run. */
  async ended(service: { readonly http: string }, path: string) {
    for (;;) {
      const { data } = await this.ask(service, 'GET', path)
      if (data[0].state !== 'running') return data[0]
      await pause(100)
    }
  }

  /** Has a service killed during a request, and starts another once the leases of the first have ended. */
  async killedWhile(t: TestContext, killing: Killing, work: (doomed: Service) => Promise<void>): Promise<Service> {
    const doomed = await startService({ ...this.#env, ...killedAt(killing) })
    const gone = once(doomed.process, 'exit')
    // The last request may be answered or not: the service may be killed in the work that follows.
    const failure = await work(doomed).catch((error: unknown) => error)
    if (failure instanceof Error && !isCutOff(failure)) throw failure
    await gone
    {
      await using database = await this.#home.open()
      for (const table of ['filter_runs', 'changes'])
        await sql`update ${sql.table(table)} set leased_until = leased_until - interval '1 hour'`.execute(database.db)
      await sql`update changes set at = at - interval '1 hour'`.execute(database.db)
    }
    const next = await startService(this.#env)
    t.after(() => void next.process.kill('SIGKILL'))
    return next
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#resources.disposeAsync()
  }
}

/** Whether a connection ended before the answer. */
function isCutOff(error: Error): boolean {
  return error instanceof TypeError || 'code' in error
}
