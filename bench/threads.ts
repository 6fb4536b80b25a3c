import type { MailboxRef, MailHost } from '#/ports/mail-host.ts'
import { furnish } from '#test/world/every-route.ts'
import { World } from '#test/world/world.ts'
import { Client } from './client.ts'
import { Inbox } from './folder.ts'
import { type Build, buildIndexes } from './index-builds.ts'
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
    rows.push(...(await index(world.mailHost, inbox.mailbox, size)))
    const [labels, page] = await sideBySide(client, requests, '/v1/labels', list)
    const from = `${page.toFixed(2)} ms against GET /v1/labels, ${labels.toFixed(2)} ms`
    rows.push({ what: 'GET /v1/threads, nothing changed', value: page / labels, unit: '×', most: 2, from })
    ratios.push(page / labels)
    rows.push(await afterChange('a message came', () => inbox.grow(1)))
    rows.push(await afterChange('a flag changed', flip(world, inbox)))

    /** A single request each time, and so one without a change too: it takes longer than one of many in a row. */
    async function afterChange(what: string, change: () => Promise<unknown>): Promise<Row> {
      const more: number[] = []
      for (let count = 0; count < Math.max(5, requests / 8); count++) {
        const [unchanged = 0] = (await client.ask(1, [{ path: list }])).times
        await change()
        const [changed = 0] = (await client.ask(1, [{ path: list }])).times
        more.push(changed - unchanged)
      }
      return { what: `  more after ${what}`, value: Math.max(0, median(more)), unit: 'ms', most: 5 }
    }
  }
  const [small, large] = ratios
  if (small && large) rows.push({ what: 'page, against that of 100,000', value: large / small, unit: '×', most: 2 })
  return rows
}

/** The newest message is read, unread, read, … */
function flip(world: World, inbox: Inbox): () => Promise<unknown> {
  let seen = false
  return () => {
    seen = !seen
    return world.mailHost.update(inbox.mailbox, 'inbox', [inbox.count], { seen })
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
async function index(mailHost: MailHost, mailbox: MailboxRef, size: number): Promise<Row[]> {
  const builds = await buildIndexes(mailHost, mailbox, { rounds: 5 })
  const of = (what: keyof Build) => median(builds.map((build) => build[what]))
  const most = size > hundredThousand ? 15_000 : 1_500
  return [
    { what: `index of ${size} messages: building it`, value: of('ms'), unit: 'ms', most },
    { what: '  of which grouping', value: of('grouping'), unit: '%', most: 25 },
    { what: '  longest hold of the event loop', value: of('hold'), unit: 'ms', most: 50 },
    { what: '  memory of a message', value: of('bytes'), unit: 'bytes', most: 120 },
  ]
}
