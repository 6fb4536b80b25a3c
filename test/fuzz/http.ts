import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, request as ask } from 'node:http'
import fc from 'fast-check'
import { scopes } from '#/http/access/scopes.ts'
import { signIn } from '#test/world/members/signed-in.ts'
import { type Furnished, furnish } from '#test/world/organization/furnished.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { memberSamples } from '#test/world/routes/member-samples.ts'
import { samples } from '#test/world/routes/samples.ts'
import { assertDocumented, type Description, operationName } from '#test/world/sockets/http-client.ts'
import { World } from '#test/world/world.ts'
import { type FuzzedRequest, fuzzedRequests, type NearSample, written } from './http-requests.ts'

/** How many answers of each status each operation gave. */
export type Tally = Map<string, Map<number, number>>

/** At least so many requests, a few at once so that they also meet: each gets a documented answer, and none a 5xx. A
 *  failure says the seed, which makes the same requests again. */
export async function fuzzHttp(requests: number, seed: number, tell?: (done: number) => void): Promise<Tally> {
  await using target = await Target.start()
  const few = fc.array(fuzzedRequests(target.description), { minLength: 1, maxLength: 8 })
  const property = fc.asyncProperty(few, (together) => target.take(together))
  for (let round = 0; target.sent < requests; round++) {
    await target.refurnish()
    await fc.assert(property, { numRuns: Math.min(60, requests), seed: seed + round })
    tell?.(target.sent)
  }
  return target.tally
}

/** A service with data, replaced now and then: what requests leave behind would slow it down. */
class Target implements AsyncDisposable {
  readonly description: Description
  readonly tally: Tally = new Map()
  sent = 0
  readonly #world: World
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 8 })
  #names = new Map<string, string>()
  #made = 0
  #own: Furnished | undefined

  private constructor(world: World, description: Description) {
    this.#world = world
    this.description = description
  }

  static async start(): Promise<Target> {
    const world = await World.start()
    return new Target(world, await world.client.description())
  }

  /** The members whose sessions `#names` has, by role. */
  #members = new Map<string, string>()
  /** Roles whose session has ended. */
  readonly #ended = new Set<string>()
  /** Whether the mailbox, which most requests use, is gone. */
  #spoiled = false

  async refurnish(): Promise<void> {
    this.#spoiled = false
    const [own, other] = [await furnish(this.#world), await furnish(this.#world)]
    this.#own = own
    const key = await own.organization.newKey(...scopes)
    const { data: domains } = (await own.organization.request('GET', '/v1/domains')).body
    this.#names = new Map([
      ['key', key],
      ['other member', await cookieOf(other.organization, other.ids.member)],
      ['mail domain id', domains.find(({ domain }: { domain: string }) => own.address.endsWith(`@${domain}`)).id],
      ...namesIn(own).map(([name, value]) => [name, value] as const),
      ...namesIn(other).map(([name, value]) => [`other ${name}`, value] as const),
    ])
    this.#members = await membersOf(own)
    for (const role of this.#members.keys()) this.#ended.add(role)
    await this.#signIn(own)
  }

  async take(together: readonly FuzzedRequest[]): Promise<void> {
    if (this.#spoiled) await this.refurnish()
    if (this.#own) await this.#signIn(this.#own)
    this.#world.clock.advance(together.length * 110)
    await Promise.all(together.map((one) => this.#send(one)))
  }

  async #send(fuzzed: FuzzedRequest): Promise<void> {
    const { method } = fuzzed
    const target = this.#named(fuzzed.target, encodeURIComponent)
    const headers = fuzzed.headers.map(([name, value]) => [name, this.#named(value)] as const)
    const text = typeof fuzzed.body === 'object' ? this.#nearSample(fuzzed.body) : fuzzed.body
    const body = text === undefined ? undefined : Buffer.from(this.#named(text))
    const { status, headers: answered, bytes } = await this.#exchange(method, target, headers, body)
    const json = answered.get('content-type')?.startsWith('application/json') && bytes.length > 0
    const [path = ''] = target.split('?')
    this.#count(operationName(this.description, method, path) ?? 'none of them', status)
    assert.ok(status < 500, `${method} ${target} answers ${status}`)
    const answer = { status, headers: answered, body: json ? JSON.parse(bytes.toString()) : null }
    assertDocumented(this.description, method, path, answer)
    if (status === 401) this.#noteEnd(headers)
    if (status === 200 && method === 'DELETE' && /^\/v1\/mailboxes\/[^/]*$/.test(path)) this.#spoiled = true
    if (status === 201) this.#adopt(answer.headers.get('location') ?? '')
  }

  #noteEnd(headers: readonly (readonly [string, string])[]): void {
    for (const role of this.#members.keys())
      if (headers.some(([name, value]) => name === 'Cookie' && value === this.#names.get(role))) this.#ended.add(role)
  }

  async #signIn({ organization }: Furnished): Promise<void> {
    for (const role of this.#ended) {
      // Sign-ins count as requests without a key, of which there are many here.
      this.#world.clock.advance(1_000)
      this.#names.set(role, await cookieOf(organization, this.#members.get(role) ?? ''))
    }
    this.#ended.clear()
  }

  #nearSample({ operation, change }: NearSample): string {
    const sample = this.#own && (samples[operation] ?? memberSamples[operation])?.body?.(this.#own)
    return written({ ...sample, ...(change && { [change[0]]: change[1] }) })
  }

  /** Later requests use the new item, in place of one that may be gone. */
  #adopt(location: string): void {
    const [, , noun = '', id = ''] = location.split('/')
    const name = {
      labels: 'label',
      filters: 'filter',
      'blocked-senders': 'blocked',
      domains: 'domain',
      scheduled: 'scheduled',
    }[noun]
    if (name) this.#names.set(name, id)
  }

  async #exchange(method: string, path: string, headers: readonly (readonly [string, string])[], body?: Buffer) {
    const length = body ? [['Content-Length', String(body.length)] as const] : []
    const all = [...headers, ...length].flat()
    let failure: Error | undefined
    const request = ask(this.#world.base, {
      agent: this.#agent,
      method,
      path,
      headers: ['Host', 'mailroom.test', ...all],
    })
    const response = once(request, 'response')
    // A server that refuses a body does not read it to its end.
    request.on('error', (error: Error & { code?: string }) => {
      if (error.code !== 'EPIPE' && error.code !== 'ECONNRESET') failure = error
    })
    request.end(body)
    const [incoming] = await response
    const bytes = Buffer.concat(await Array.fromAsync<Buffer>(incoming))
    if (failure) throw new Error(`${method} ${path}`, { cause: failure })
    return { status: incoming.statusCode as number, headers: new Headers(incoming.headers), bytes }
  }

  #named(text: string, write: (value: string) => string = String): string {
    return text.replace(/\{\{([a-z ]+)\}\}/g, (all, name) =>
      write(name === 'new' ? `new-${++this.#made}` : (this.#names.get(name) ?? all)),
    )
  }

  #count(name: string, status: number): void {
    const counts = this.tally.get(name) ?? new Map<number, number>()
    this.tally.set(name, counts.set(status, (counts.get(status) ?? 0) + 1))
    this.sent++
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#agent.destroy()
    await this.#world[Symbol.asyncDispose]()
  }
}

/** A session of the member, as a browser sends it to a host that is not its own machine. */
async function cookieOf(organization: TestOrganization, memberId: string): Promise<string> {
  return `__Host-${(await signIn(organization, memberId)).cookie}`
}

/** A member of each role. The mailbox is the owner's, and shared with the member. */
async function membersOf({ organization, address }: Furnished): Promise<Map<string, string>> {
  const owner = await organization.member(address, 'owner')
  const admin = await organization.member('admin@people.example', 'admin')
  const member = await organization.member('member@people.example', 'member')
  const boss = await signIn(organization, owner.id)
  const shared = await boss.request('PUT', `/v1/mailboxes/${address}/access/${member.id}`, { level: 'send' })
  assert.equal(shared.status, 200, shared.bytes.toString())
  return new Map(Object.entries({ owner: owner.id, admin: admin.id, member: member.id }))
}

function namesIn({ address, keyword, ids }: Furnished): [string, string][] {
  const [, domain = ''] = address.split('@')
  return [
    ['address', address],
    ['mail domain', domain],
    ['keyword', keyword],
    ['grace', ids.member],
    ['api key', ids.apiKey],
    ...Object.entries(ids),
  ]
}
