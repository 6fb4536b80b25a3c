import assert from 'node:assert/strict'
import { appendEvents } from '#/base/event-log/append.ts'
import { webhookById } from '#/events/webhooks/queries.ts'
import { present } from '#/events/webhooks/schemas.ts'
import { Caller } from '#/http/access/caller.ts'
import { onceWritten } from '#test/world/observe/writes.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import type { Answer } from '#test/world/sockets/http-client.ts'
import type { World } from '#test/world/world.ts'
import { Receiver } from './receiver.ts'

const second = 1_000

/** A receiver, and a webhook that posts to it. */
export class Hook implements AsyncDisposable {
  readonly #world: World
  readonly organization: TestOrganization
  readonly receiver: Receiver
  readonly id: string
  readonly secret: string

  private constructor(
    world: World,
    organization: TestOrganization,
    receiver: Receiver,
    made: Pick<Hook, 'id' | 'secret'>,
  ) {
    this.#world = world
    this.organization = organization
    this.receiver = receiver
    this.id = made.id
    this.secret = made.secret
  }

  /** In a world with `MAILROOM_WEBHOOK_NETWORKS`. */
  static async start(
    world: World,
    settings: object = { types: ['label'] },
    organization?: TestOrganization,
    key = organization?.key,
  ): Promise<Hook> {
    const receiver = await Receiver.start()
    const whose = organization ?? (await world.organization())
    const body = { url: receiver.url, ...settings }
    const made = await whose.request('POST', '/v1/webhooks', body, key === undefined ? {} : { key })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    return new Hook(world, whose, receiver, made.body)
  }

  at(method: string, path = '', body?: unknown): Promise<Answer> {
    return this.organization.request(method, `/v1/webhooks/${this.id}${path}`, body)
  }

  async shown() {
    return (await this.at('GET')).body
  }

  async deliveries(query = '') {
    return (await this.at('GET', `/deliveries${query}`)).body.data
  }

  /** Creates labels, whose events the webhook gets. */
  async labels(...names: string[]): Promise<void> {
    for (const name of names)
      assert.equal((await this.organization.request('POST', '/v1/labels', { name })).status, 201)
  }

  /** Writes events of items, one for each name: those of an item have an order. A round reads all of them, or none. */
  async append(items: Readonly<Record<string, readonly string[]>>): Promise<void> {
    const { id: organizationId } = this.organization
    const events = Object.entries(items).flatMap(([id, names]) =>
      names.map((name) => ({ organizationId, type: 'label.changed', data: { id, name } }) as const),
    )
    await this.#world.db.transaction().execute((tx) => appendEvents(tx, events))
  }

  /** Writes so many events, each of an item of its own. */
  appendMany(count: number): Promise<void> {
    return this.append(Object.fromEntries(Array.from({ length: count }, (_, number) => [`n${number}`, [`n${number}`]])))
  }

  /** Advances the clock until something holds. */
  async pass(ms: number, enough: (receiver: Receiver) => boolean): Promise<void> {
    // The worker's own time goes on while it works, which takes long on a busy machine.
    await this.#world.advance(ms + 20 * second)
    await this.receiver.until(enough)
  }

  /** Resolves once the webhook shows something. */
  async untilShown(holds: (shown: { status: string; waiting: number }) => boolean): Promise<void> {
    await onceWritten(async () => holds(await this.stored()))
  }

  /** Resolves once so many deliveries are listed: their rounds have ended. */
  async untilListed(count: number): Promise<void> {
    const listed = this.#world.db.selectFrom('webhook_deliveries').select('event_id').where('webhook_id', '=', this.id)
    await onceWritten(async () => (await listed.execute()).length === count)
  }

  /** Resolves once no round of it runs. */
  async untilNoRound(): Promise<void> {
    const webhook = this.#world.db.selectFrom('webhooks').where('id', '=', this.id).where('leased_until', 'is', null)
    await onceWritten(async () => (await webhook.select('id').execute()).length === 1)
  }

  /** As it is shown, without a request, of which there is a limit. */
  async stored() {
    const viewer = { caller: Caller.unrestricted(this.organization.id), actorId: this.id }
    const webhook = await webhookById(this.#world.db, viewer, this.id)
    assert.ok(webhook)
    return present(webhook)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.organization.request('DELETE', `/v1/webhooks/${this.id}`)
    await this.receiver[Symbol.asyncDispose]()
  }
}

export const names = ({ taken }: Receiver) => taken.map(({ name }) => name)

/** Answers with that status as long as something holds. */
export const whileIt = (fails: (name: string) => boolean, status: number, text = '') => {
  return ({ name }: { name: string }, response: import('node:http').ServerResponse) =>
    void response.writeHead(fails(name) ? status : 204).end(fails(name) ? text : '')
}
