import type { Db } from '#/base/db/schema.ts'
import { idHashKey } from '#/formats/mime/id-hash.ts'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'
import { updateMessages } from '#/mail/store/update.ts'
import { indexesOn } from '#test/mail/threads/indexes.ts'
import { furnish } from '#test/world/organization/furnished.ts'
import { World } from '#test/world/world.ts'
import { Client } from './load/client.ts'
import { Inbox } from './mailbox/folder.ts'
import { type Build, buildIndexes } from './mailbox/index-builds.ts'
import { median, type Row } from './report.ts'

const hundredThousand = 100_000

/** Conversations of a large folder: its index, and its first page against GET /v1/labels. Of more than 100,000 messages
 *  the page is also compared with that of 100,000. */
export async function threads({ messages = hundredThousand, requests = 400 } = {}): Promise<Row[]> {
  await using world = await World.start()
  const furnished = await furnish(world)
  const { organization, address } = furnished
  await using client = new Client(organization)
  const [{ id: mailboxId }] = (await client.json('/v1/mailboxes')).data
  const inbox = new Inbox(world, { organizationId: organization.id, mailboxId })
  const list = `/v1/threads?mailbox=${address}&limit=25`

  const rows: Row[] = []
  const ratios: number[] = []
  for (const size of messages > hundredThousand ? [hundredThousand, messages] : [messages]) {
    await inbox.growTo(size)
    rows.push(...(await index(world.db, inbox.mailbox, size)))
    const lists = new Lists(client, requests, list)
    const unchanged = await lists.unchanged('GET /v1/threads')
    rows.push(unchanged)
    ratios.push(unchanged.value)
    rows.push(await lists.afterChange('a message came', () => inbox.grow(1)))
    rows.push(await lists.afterChange('a flag changed', flip(world, inbox)))
  }
  rows.push(
    ...(await conversations(world, inbox, new Lists(client, requests, list.replace('threads', 'conversations')))),
  )
  const [small, large] = ratios
  if (small && large) rows.push({ what: 'page, against that of 100,000', value: large / small, unit: '×', most: 2 })
  return rows
}

/** Conversations of the same messages in four folders: the first read of all of them, and the first page. */
async function conversations(world: World, inbox: Inbox, lists: Lists): Promise<Row[]> {
  await inbox.spread(['archive', 'sent', 'Projects'])
  const times: number[] = []
  let bytes = 0
  for (let round = 0; round < 3; round++) {
    const { threads, mailboxIndexes } = indexesOn(world.db, idHashKey('any'))
    const start = performance.now()
    await mailboxIndexes.upToDate(inbox.mailbox)
    times.push(performance.now() - start)
    bytes = threads.bytes / inbox.count
  }
  return [
    { what: `conversations of ${inbox.count} messages: first read`, value: median(times), unit: 'ms', most: 1_500 },
    { what: '  memory of a message', value: bytes, unit: 'bytes', most: 130 },
    await lists.unchanged('GET /v1/conversations'),
    await lists.afterChange('a message came', () => inbox.grow(1)),
    await lists.afterChange('a flag changed', flip(world, inbox)),
  ]
}

/** A list that is asked for again and again. */
class Lists {
  readonly #client: Client
  readonly #requests: number
  readonly #path: string

  constructor(client: Client, requests: number, path: string) {
    this.#client = client
    this.#requests = requests
    this.#path = path
  }

  async unchanged(what: string): Promise<Row> {
    const [labels, page] = await sideBySide(this.#client, this.#requests, '/v1/labels', this.#path)
    const from = `${page.toFixed(2)} ms against GET /v1/labels, ${labels.toFixed(2)} ms`
    return { what: `${what}, nothing changed`, value: page / labels, unit: '×', most: 2, from }
  }

  /** A single request each time, and so one without a change too: it takes longer than one of many in a row. */
  async afterChange(what: string, change: () => Promise<unknown>): Promise<Row> {
    const more: number[] = []
    for (let count = 0; count < Math.max(5, this.#requests / 8); count++) {
      const [unchanged = 0] = (await this.#client.ask(1, [{ path: this.#path }])).times
      await change()
      const [changed = 0] = (await this.#client.ask(1, [{ path: this.#path }])).times
      more.push(changed - unchanged)
    }
    return { what: `  more after ${what}`, value: Math.max(0, median(more)), unit: 'ms', most: 5 }
  }
}

/** The newest message is read, unread, read, … */
function flip(world: World, inbox: Inbox): () => Promise<unknown> {
  let seen = false
  return () => {
    seen = !seen
    return updateMessages(world.db, inbox.mailbox, 'inbox', [inbox.count], { seen })
  }
}

/** Medians, in milliseconds, of two requests that take turns, so that whatever else the machine does befalls both. */
async function sideBySide(client: Client, requests: number, one: string, other: string): Promise<[number, number]> {
  const asks = [{ path: one }, { path: other }]
  await client.ask(2 * requests, asks) // until the code is compiled
  const { times } = await client.ask(2 * requests, asks)
  const of = (which: number) => median(times.filter((_, number) => number % 2 === which))
  return [of(0), of(1)]
}

/** Builds the index some times over, as the first request for the folder does. */
async function index(db: Db, mailbox: MailboxRef, size: number): Promise<Row[]> {
  const builds = await buildIndexes(db, mailbox, { rounds: 5 })
  const of = (what: keyof Build) => median(builds.map((build) => build[what]))
  const most = size > hundredThousand ? 15_000 : 1_500
  return [
    { what: `index of ${size} messages: building it`, value: of('ms'), unit: 'ms', most },
    { what: '  of which grouping', value: of('grouping'), unit: '%', most: 25 },
    { what: '  longest hold of the event loop', value: of('hold'), unit: 'ms', most: 50 },
    { what: '  memory of a message', value: of('bytes'), unit: 'bytes', most: 120 },
  ]
}
