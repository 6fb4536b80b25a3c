import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { scopes } from '#/http/access/scopes.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import type { Answer } from '#test/world/sockets/http-client.ts'
import { SmtpClient, type SmtpReply } from '#test/world/sockets/smtp-client.ts'
import { World } from '#test/world/world.ts'
import { fuzzedMessages, type Octets } from './mail-messages.ts'

/** How many messages got each reply. */
export type Replies = Map<string, number>

/** So many messages over SMTP: each is stored or refused, and what is stored can be read in every way. A failure says
 *  the seed, which makes the same messages again. */
export async function fuzzMail(messages: number, seed: number, tell?: (done: number) => void): Promise<Replies> {
  await using target = await Target.start()
  const property = fc.asyncProperty(fuzzedMessages, (octets) => target.take(octets))
  for (let round = 0; round * 200 < messages; round++) {
    await target.refurnish()
    await fc.assert(property, { numRuns: Math.min(200, messages - round * 200), seed: seed + round })
    await target.assertThreaded()
    tell?.(Math.min(messages, (round + 1) * 200))
  }
  return target.replies
}

const folders = ['inbox', 'junk']

/** So that every field they look at is read, of sound messages and broken ones. None moves mail, or drops it. */
const filters = [
  { name: 'from', field: 'from', op: 'contains', value: 'ann', action: 'star' },
  { name: 'to', field: 'to', op: 'is', value: 'ann@x.example', action: 'star' },
  { name: 'subject', field: 'subject', op: 'contains', value: 'ü', action: 'star' },
]
const blocked = { pattern: '@nobody.example' }

/** A mailbox that mail is sent to. */
class Target implements AsyncDisposable {
  readonly replies: Replies = new Map()
  readonly #world: World
  readonly #resources: AsyncDisposableStack
  #organization: TestOrganization | undefined
  #key = ''
  #asked = 0
  #address = ''
  /** How many messages each folder held at the last look. */
  readonly #stored = new Map<string, number>()
  readonly #taken = new Set<string>()
  #client: SmtpClient | undefined
  #refused = 0

  private constructor(world: World, resources: AsyncDisposableStack) {
    this.#world = world
    this.#resources = resources
  }

  static async start(): Promise<Target> {
    await using starting = new AsyncDisposableStack()
    const world = starting.use(await World.start())
    return new Target(world, starting.move())
  }

  /** Another mailbox, since stored mail would slow down later messages. */
  async refurnish(): Promise<void> {
    const organization = await this.#world.organization()
    this.#organization = organization
    this.#key = await organization.newKey(...scopes)
    this.#address = (await organization.mailbox('ada')).address
    for (const filter of filters) assert.equal((await organization.request('POST', '/v1/filters', filter)).status, 201)
    assert.equal((await organization.request('POST', '/v1/blocked-senders', blocked)).status, 201)
    this.#stored.clear()
    this.#taken.clear()
  }

  async take(octets: Octets): Promise<void> {
    const message = octets.endsWith('\r\n') ? octets : `${octets}\r\n`
    const reply = await this.#hand(message)
    const said = reply.codes
    this.replies.set(said, (this.replies.get(said) ?? 0) + 1)
    if (reply.code === 250) await this.#assertStored(message)
    else assert.ok(/^(?:552|554 5\.6\.0|554 5\.4\.6|550 5\.7\.)/.test(said), `refused with ${said}`)
  }

  async #hand(message: Octets): Promise<SmtpReply> {
    this.#client ??= this.#resources.use(await SmtpClient.greeted(this.#world.smtp.port))
    const { code, text } = await this.#client.begin('peer@peer.example', this.#address)
    assert.equal(code, 354, text)
    this.#client.write(`${message.replace(/(^|\r\n)\./g, '$1..')}.\r\n`)
    const reply = await this.#client.reply()
    assert.equal((await this.#client.say('NOOP')).code, 250, 'the session stays in step')
    // After too many refusals a client is disconnected.
    if (reply.code !== 250 && ++this.#refused % 15 === 0) {
      await this.#client[Symbol.asyncDispose]()
      this.#client = undefined
    }
    return reply
  }

  async #assertStored(message: Octets): Promise<void> {
    const digest = createHash('sha256').update(message, 'latin1').digest('base64')
    const found = await this.#newest()
    assert.ok(found || this.#taken.has(digest), 'what came before is stored once, and nothing else is')
    this.#taken.add(digest)
    if (!found) return
    const { folder, uid } = found
    assertTraced((await this.#get(`messages/${uid}/raw`, { folder })).bytes, Buffer.from(message, 'latin1'))
    const { attachments } = (await this.#get(`messages/${uid}`, { folder })).body
    for (const { id, size_bytes } of attachments.slice(0, 3))
      assert.equal((await this.#get(`messages/${uid}/attachments/${id}`, { folder })).bytes.length, size_bytes)
    assert.equal((await this.#get('threads', { folder, limit: '1' })).body.data.length, 1)
  }

  /** The message that was stored since the last call, if any. Mail without a clear author is junk. */
  async #newest(): Promise<{ folder: string; uid: number } | undefined> {
    for (const folder of folders) {
      const { data, total } = (await this.#get('messages', { folder, limit: '1' })).body
      const before = this.#stored.get(folder) ?? 0
      this.#stored.set(folder, total)
      if (total > before) return { folder, uid: data[0].uid }
    }
    return undefined
  }

  /** Every message is in one conversation. */
  async assertThreaded(): Promise<void> {
    for (const folder of folders) {
      const uids: number[] = []
      for (let page = 0; ; page++) {
        const { body } = await this.#get('threads', { folder, limit: '100', page: String(page) })
        for (const thread of body.data) uids.push(...thread.uids)
        if (!body.has_more) break
      }
      const stored = this.#stored.get(folder) ?? 0
      assert.deepEqual([uids.length, new Set(uids).size], [stored, stored])
    }
  }

  async #get(path: string, query: Record<string, string>): Promise<Answer> {
    // A key may ask 600 times a minute, which on a PostgreSQL server are the database's minutes.
    if (++this.#asked % 500 === 0) this.#key = (await this.#organization?.newKey(...scopes)) ?? ''
    this.#world.clock.advance(100)
    const asked = new URLSearchParams({ mailbox: this.#address, ...query })
    const answer = await this.#world.client.request('GET', `/v1/${path}?${asked}`, { key: this.#key })
    assert.equal(answer.status, 200, `${path}: ${answer.bytes}`)
    return answer
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#resources.disposeAsync()
  }
}

/** The stored message is the sent one, with trace fields in front. */
function assertTraced(stored: Buffer, sent: Buffer): void {
  const trace = stored.toString('latin1', 0, stored.length - sent.length)
  assert.ok(stored.subarray(trace.length).equals(sent), 'the message itself is kept as it was sent')
  assert.match(trace, /^(?:(?:Return-Path|Authentication-Results|Received): [^\r\n]*\r\n(?:[ \t][^\r\n]*\r\n)*){3}$/)
}
