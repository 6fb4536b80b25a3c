import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { type EventType, eventTypes } from '#/base/event-log/types.ts'
import { hand, letter, messagesIn } from '#test/world/letters/letter.ts'
import { onceWritten } from '#test/world/observe/writes.ts'
import { ofFile } from '#test/world/of-file.ts'
import { operatorOn, printed } from '#test/world/operator.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import type { Answer } from '#test/world/sockets/http-client.ts'
import { Sink } from '#test/world/sockets/sink.ts'
import { World } from '#test/world/world.ts'
import { logged } from './logged.ts'

const sink = ofFile(await Sink.start())
const world = await World.ofFile({ sink })
const plan = { name: 'small', domains: 5, mailboxes: 5, storage_bytes: 5_000, sends_per_day: 10 }
await world.db.insertInto('plans').values(plan).execute()

const friend = 'bob@there.example'
const inMinutes = (minutes: number) => new Date(world.clock.now() + minutes * 60_000).toISOString()

/** An organization with a mailbox, and operations on it. */
class Office {
  readonly organization: TestOrganization
  readonly mailbox: { readonly id: string; readonly address: string }

  constructor(organization: TestOrganization, mailbox: Office['mailbox']) {
    this.organization = organization
    this.mailbox = mailbox
  }

  static async open(plan: string): Promise<Office> {
    const organization = await world.organization({ plan })
    return new Office(organization, await organization.mailbox('ada'))
  }

  /** The result is checked afterwards. */
  async ask(method: string, path: string, body?: unknown) {
    return (await this.organization.request(method, path, body)).body
  }

  async arrive(message = letter(), from = 'ann@peer.example'): Promise<void> {
    await hand(world, from, this.mailbox.address, message)
  }

  async holds(folder?: string): Promise<number> {
    return (await messagesIn(this.organization, this.mailbox.address, folder)).length
  }

  async inList(path: string): Promise<number> {
    return (await this.ask('GET', path)).data.length
  }

  /** Sends a message, and has the next server answer this to its recipient. */
  async send(reply?: string): Promise<string> {
    const from = this.mailbox.address
    const { id } = await this.ask('POST', '/v1/send', { from, to: friend, text: 'Hello' })
    await this.#out(reply)
    return id
  }

  async schedule(): Promise<string> {
    const { id } = await this.ask('POST', '/v1/scheduled', {
      ...{ from: this.mailbox.address, to: friend, text: 'Hello', send_at: inMinutes(1) },
    })
    return id
  }

  async sendScheduled(reply?: string): Promise<void> {
    await this.schedule()
    await world.advance(120_000)
    await this.#out(reply, world.rounds)
  }

  async #out(reply?: string, work: { processAll(): Promise<unknown> } = world.outbound): Promise<void> {
    sink.act = (step) => (step === 'rcpt' ? reply : undefined)
    await work.processAll()
    sink.act = () => undefined
  }

  async approval(): Promise<string> {
    const draft = await this.ask('POST', '/v1/drafts', { mailbox: this.mailbox.address, text: 'Hello' })
    return (await this.ask('POST', `/v1/drafts/${draft.id}/approval`, {})).id
  }

  /** A setting by its id, once it is made. */
  async made(path: string, body: object): Promise<string> {
    return `${path}/${(await this.ask('POST', path, body)).id}`
  }
}

const labels = '/v1/labels'
const filters = '/v1/filters'
const blocks = '/v1/blocked-senders'
const friendly = 'service bob@there.example'
const label = { name: 'Work' }
const filter = { name: 'F', field: 'from', op: 'is', value: 'x', action: 'star' }
const block = { pattern: 'bad@there.example' }

function complaint(bounce: string): string {
  return letter(
    { 'MIME-Version': '1.0', 'Content-Type': 'multipart/report; report-type=feedback-report; boundary="=_b"' },
    `--=_b\r\nContent-Type: message/feedback-report\r\n\r\nFeedback-Type: abuse\r\nOriginal-Mail-From: ${bounce}\r\n\r\n--=_b--\r\n`,
  )
}

const makes = (path: string, body: object) => (one: Office) => one.made(path, body)
const deletes = (path: string, body: object) => async (one: Office) => one.ask('DELETE', await one.made(path, body))
const changes = (path: string, body: object, change: object) => async (one: Office) =>
  one.ask('PATCH', await one.made(path, body), change)
const operates =
  (...argv: string[]) =>
  (one: Office) =>
    printed(operatorOn(world), ...argv, one.mailbox.address).catch(() => {})
const lists = (path: string, count: number) => async (one: Office) => (await one.inList(path)) === count
/** Whether the only recipient of what was sent is in that state. */
const isSent = (state: string) => lists(`/v1/sent?state=${state}`, 1)

type Cause = readonly [act: (one: Office) => Promise<unknown>, isSo: (one: Office) => Promise<boolean>, told: string]

/** The cause of each type, a check that the event is true, and what the event says: its actor, and whom or what it is about. */
const causes: Readonly<Partial<Record<EventType, Cause>>> = {
  'message.received': [(one) => one.arrive(), async (one) => (await one.holds()) === 1, 'service inbox 1'],
  'message.changed': [
    async (one) => {
      await one.arrive()
      await one.ask('PATCH', `/v1/messages?mailbox=${one.mailbox.address}`, { uids: [1], folder: 'archive' })
    },
    async (one) => (await one.holds('archive')) === 1,
    'key archive 1',
  ],
  'message.deleted': [
    async (one) => {
      await one.arrive()
      await one.ask('PATCH', `/v1/messages?mailbox=${one.mailbox.address}`, { uids: [1], folder: 'trash' })
      await one.ask('DELETE', `/v1/messages?mailbox=${one.mailbox.address}&folder=trash`, { uids: [1] })
    },
    async (one) => (await one.holds()) + (await one.holds('trash')) === 0,
    'key trash 1',
  ],
  'message.queued': [(one) => one.send(), lists('/v1/sent', 1), 'key bob@there.example'],
  'message.delivered': [(one) => one.send(), isSent('delivered'), friendly],
  'message.deferred': [(one) => one.send('451 4.7.1 Later'), isSent('deferred'), friendly],
  'message.bounced': [(one) => one.send('550 5.1.1 Nobody'), isSent('bounced'), friendly],
  'message.complained': [
    async (one) => {
      sink.taken.splice(0)
      await one.send()
      await one.arrive(complaint(sink.taken[0]?.from ?? ''))
    },
    isSent('complained'),
    friendly,
  ],
  'scheduled.created': [(one) => one.schedule(), lists('/v1/scheduled', 1), 'key'],
  'scheduled.changed': [
    async (one) => one.ask('PATCH', `/v1/scheduled/${await one.schedule()}`, { send_at: inMinutes(2) }),
    async (one) => (await one.ask('GET', '/v1/scheduled')).data[0]?.send_at === inMinutes(2),
    'key',
  ],
  'scheduled.sent': [(one) => one.sendScheduled(), isSent('delivered'), 'service'],
  'scheduled.failed': [
    (one) => one.sendScheduled('550 5.1.1 Nobody'),
    lists('/v1/scheduled?status=failed', 1),
    'service bob@there.example: 127.0.0.1 refused the recipient; 127.0.0.1 said: 550 5.1.1 Nobody',
  ],
  'scheduled.cancelled': [
    async (one) => one.ask('DELETE', `/v1/scheduled/${await one.schedule()}`),
    lists('/v1/scheduled', 0),
    'key',
  ],
  'approval.created': [(one) => one.approval(), lists('/v1/approvals', 1), 'key pending'],
  'approval.changed': [
    async (one) => one.ask('POST', `/v1/approvals/${await one.approval()}/decline`, { reason: 'No' }),
    lists('/v1/approvals?status=declined', 1),
    'key declined',
  ],
  'auto_reply.sent': [
    async (one) => {
      const settings = { mailbox: one.mailbox.address, reply_body: 'Away', reply_enabled: true }
      await one.ask('PATCH', '/v1/forwarding', settings)
      world.dns.set('far.example', { txt: ['v=spf1 ip4:127.0.0.1 -all'] })
      const from = 'ann@far.example'
      await one.arrive(letter({ From: from, To: one.mailbox.address }), from)
      await world.outbound.processAll()
    },
    async ({ organization: { id } }) => {
      const waiting = world.db.selectFrom('outbound_messages').select('id').where('organization_id', '=', id)
      return (await waiting.execute()).length === 0
    },
    'service ann@far.example',
  ],
  'label.created': [makes(labels, label), lists(labels, 1), 'key Work'],
  'label.changed': [
    changes(labels, label, { name: 'Home' }),
    async (one) => (await one.ask('GET', labels)).data[0].name === 'Home',
    'key Home',
  ],
  'label.deleted': [deletes(labels, label), lists(labels, 0), 'key Work'],
  'filter.created': [makes(filters, filter), lists(filters, 1), 'key F'],
  'filter.changed': [
    changes(filters, filter, { enabled: false }),
    async (one) => !(await one.ask('GET', filters)).data[0].enabled,
    'key F',
  ],
  'filter.deleted': [deletes(filters, filter), lists(filters, 0), 'key F'],
  'block.created': [makes(blocks, block), lists(blocks, 1), 'key bad@there.example'],
  'block.deleted': [deletes(blocks, block), lists(blocks, 0), 'key bad@there.example'],
  'mailbox.created': [
    (one) => one.ask('POST', '/v1/mailboxes', { domain: one.organization.domain, local_part: 'bob' }),
    lists('/v1/mailboxes', 2),
    'key bob@',
  ],
  'mailbox.changed': [
    operates('mailbox', 'suspend'),
    async (one) => (await one.ask('GET', '/v1/mailboxes')).data[0].suspended,
    'operator ada@',
  ],
  'mailbox.deleted': [operates('mailbox', 'delete'), lists('/v1/mailboxes', 0), 'operator ada@'],
  'forwarding.paused': [
    async (one) => {
      const settings = { mailbox: one.mailbox.address, forward_to: friend, forward_enabled: true }
      await one.ask('PATCH', '/v1/forwarding', settings)
      sink.act = (step) => (step === 'rcpt' ? '550 5.1.1 Nobody' : undefined)
      for (let count = 0; count < 10; count++) await one.arrive()
      await world.outbound.processAll()
      sink.act = () => undefined
    },
    async (one) => (await one.ask('GET', `/v1/forwarding?mailbox=${one.mailbox.address}`)).forward.paused_at !== null,
    'service ada@',
  ],
  'quota.reached': [
    // More than 80, and less than 100 percent.
    (one) => one.arrive(letter({}, `${'x'.repeat(78)}\r\n`.repeat(50))),
    async (one) => (await one.holds()) === 1,
    'service storage',
  ],
}

/** Of mail that is refused nothing is stored, and a webhook is paused by its worker: test/events/refused.test.ts,
 *  test/events/webhooks/pausing.test.ts. */
const others: readonly EventType[] = ['message.refused', 'webhook.paused']

test('every type has a cause here, or its own test', () =>
  assert.deepEqual([...Object.keys(causes), ...others].sort(), [...eventTypes].sort()))

/** Makes that no event of that type can be written, until it is disposed of. */
async function refusing(type: string): Promise<{ once(): Promise<void> } & AsyncDisposable> {
  await sql`create sequence refusals`.execute(world.db)
  // A sequence keeps its number after a rollback.
  await sql`create function refuse_event() returns trigger language plpgsql as
    $$ begin perform nextval('refusals'); raise exception 'the disk is full' using errcode = '53100'; end $$`.execute(
    world.db,
  )
  await sql`create trigger refuse before insert on events for each row when (new.type = ${sql.lit(type)})
    execute function refuse_event()`.execute(world.db)
  return {
    /** Resolves once one was refused. */
    once: () =>
      onceWritten(async () => {
        const { rows } = await sql<{ is_called: boolean }>`select is_called from refusals`.execute(world.db)
        return rows[0]?.is_called ?? false
      }),
    async [Symbol.asyncDispose]() {
      await sql`drop function refuse_event() cascade`.execute(world.db)
      await sql`drop sequence refusals`.execute(world.db)
    },
  }
}

function toldBy({ by, item, message, sending, quota }: Answer['body']): string {
  const recipients = (sending?.recipients ?? []).map(({ address }: { address: string }) => address)
  const about = item?.name.replace(/@.*\.test$/, '@') ?? (message && `${message.folder} ${message.uid}`) ?? quota?.quota
  return [by.kind, ...recipients, ...(sending?.reason ? [sending.reason] : []), ...(about ? [about] : [])].join(' ')
}

for (const [type, [act, isSo, told]] of Object.entries(causes))
  test(`${type} and its cause are written together, or neither is`, async () => {
    const plan = type === 'quota.reached' ? 'small' : 'team'
    let one = await Office.open(plan)
    let acting: Promise<unknown>
    {
      await using refusal = await refusing(type)
      acting = act(one)
      await refusal.once()
      assert.equal(await isSo(one), false)
    }
    await acting
    // A worker retries; a request does not.
    if (!(await isSo(one))) {
      one = await Office.open(plan)
      await act(one)
    }
    assert.equal(await isSo(one), true)
    // A mailbox was made before.
    const events = (await logged(one.organization, type)).slice(type === 'mailbox.created' ? 1 : 0)
    assert.deepEqual(events.map(toldBy), [told])
  })
