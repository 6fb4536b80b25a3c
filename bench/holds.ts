import { hostileMail, largeMail } from '#test/world/letters/hostile-mail.ts'
import { HoldWatch } from '#test/world/observe/hold-watch.ts'
import { type Furnished, furnish } from '#test/world/organization/furnished.ts'
import { everyOperation, pathOf } from '#test/world/routes/every-route.ts'
import { World } from '#test/world/world.ts'
import { Client } from './load/client.ts'
import type { Ask } from './load/http-load.ts'
import { Load } from './load/load.ts'
import type { SmtpWork } from './load/smtp-load.ts'
import { Inbox } from './mailbox/folder.ts'
import type { Row } from './report.ts'

const everyLetter = Object.keys({ ...hostileMail, ...largeMail })

const listed = 10

interface Found {
  readonly what: string
  /** Milliseconds. */
  readonly longest: number
}

/** For how long requests hold the event loop in one go: every operation that the API describes, about a large folder; the
 *  hardest forms of them that we know; large and hostile messages that come in and are read. The worst are listed, and
 *  the worst about each such message. */
export async function holds({ messages = 100_000, letters = everyLetter, repeats = 5 } = {}): Promise<Row[]> {
  await using world = await World.start({ indexing: true })
  const furnished = await furnish(world)
  const { organization, address } = furnished
  await using client = new Client(organization)
  const [{ id: mailboxId }] = (await client.json('/v1/mailboxes')).data
  const inbox = new Inbox(world, { organizationId: organization.id, mailboxId })
  await inbox.growTo(messages)

  using meter = new Meter(client, repeats)
  const found: Found[] = []
  for (const ask of await folderAsks(client, furnished, inbox)) found.push(await meter.request(ask))
  const asks = await everyAsk(world, furnished)
  const mailed: Row[] = []
  await using smtp = new Load<SmtpWork, number>('smtp-load.ts')
  for (const letter of letters) {
    const work = { port: world.smtp.port, connections: 1, messages: 1, recipients: [address], octets: 0, letter }
    const about = [await meter.measure('SMTP', 1, () => smtp.run(work).catch(refused))]
    const path = (await client.json(`/v1/messages?mailbox=${address}&limit=1`)).data[0].uid
    const parts = letter.includes('attachments') ? ['', '/raw', '/attachments/2'] : ['', '/raw']
    for (const part of parts) {
      about.push(await meter.request({ path: `/v1/messages/${path}${part}?mailbox=${address}` }, `GET ${part}`.trim()))
    }
    about.push(await meter.request({ path: `/v1/threads?mailbox=${address}` }, 'threads'))
    found.push(...about.map(({ what, longest }) => ({ what: `${what}, ${letter}`, longest })))
    const from = about.map(({ what, longest }) => `${what} ${longest.toFixed(0)}`).join(', ')
    mailed.push({
      what: `  ${letter}`,
      value: Math.max(...about.map(({ longest }) => longest)),
      unit: 'ms',
      most: 50,
      from,
    })
  }
  for (const ask of asks) found.push(await meter.request(ask))
  return [...worst(found), ...mailed]
}

/** Measures the longest hold while something is done. */
class Meter implements Disposable {
  readonly #watch = new HoldWatch()
  readonly #client: Client
  /** How often what changes nothing is asked. */
  readonly #repeats: number

  constructor(client: Client, repeats: number) {
    this.#client = client
    this.#repeats = repeats
  }

  async measure(what: string, times: number, work: () => Promise<unknown>): Promise<Found> {
    this.#watch.reset()
    for (let count = 0; count < times; count++) await work()
    return { what, longest: await this.#watch.settle() }
  }

  request(ask: Ask, what?: string): Promise<Found> {
    const { method = 'GET', path } = ask
    const name = what ?? `${method} ${path.replace(/mailbox=[^&]*&?/, '')}`
    return this.measure(name, method === 'GET' ? this.#repeats : 1, () => this.#client.ask(1, [ask]))
  }

  [Symbol.dispose](): void {
    this.#watch[Symbol.dispose]()
  }
}

/** A hostile message may be refused, for good. */
function refused(error: Error): void {
  if (!/554 5\.6\.0/.test(error.message)) throw error
}

function worst(found: Found[]): Row[] {
  const sorted = found.toSorted((a, b) => b.longest - a.longest).slice(0, listed)
  return sorted.map(({ what, longest }, place) => ({
    what: place === 0 ? 'longest holds of the event loop' : '',
    value: longest,
    unit: 'ms',
    most: 50,
    from: what,
  }))
}

/** What removes something comes last, so that all others find it. */
async function everyAsk(world: World, furnished: Furnished): Promise<Ask[]> {
  const removes = ({ method }: { method: string }) => Number(method === 'DELETE')
  const operations = (await everyOperation(world)).sort((a, b) => removes(a) - removes(b))
  return operations.map(({ method, path, sample }) => {
    return { method, path: pathOf(path, sample, furnished), body: sample.body?.(furnished) }
  })
}

/** Lists from both ends, with every condition; changes of as many messages as may be changed at once; a long
 *  conversation. */
async function folderAsks(client: Client, { address, ids }: Furnished, inbox: Inbox): Promise<Ask[]> {
  await inbox.converse(Math.min(1_000, inbox.count))
  const threads = `/v1/threads?mailbox=${address}&limit=100`
  const long = (await client.json(threads)).data[0].id
  const asks: Ask[] = [{ path: `/v1/threads/${long}?mailbox=${address}` }]
  const messages = `/v1/messages?mailbox=${address}&limit=100`
  const conditions = ['', '&unread=true', '&unread=false'].flatMap((unread) => [unread, `${unread}&label=receipts`])
  for (const list of [threads, ...conditions.map((condition) => messages + condition)]) {
    const { total } = await client.json(list)
    asks.push({ path: list }, { path: `${list}&page=${Math.floor((total - 1) / 100)}` })
  }
  // Later than the message that the other operations are about.
  const uids = Array.from({ length: Math.min(500, inbox.count) }, (_, number) => Number(ids.message) + 1 + number)
  const change = { method: 'PATCH', path: `/v1/messages?mailbox=${address}` }
  for (const what of [{ unread: true }, { unread: false }, { add_labels: ['receipts'] }, { folder: 'Elsewhere' }]) {
    asks.push({ ...change, body: { uids, ...what } })
  }
  return asks
}
