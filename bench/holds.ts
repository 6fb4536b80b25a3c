import { everyOperation, type Furnished, pathOf } from '../test/every-route.ts'
import type { World } from '../test/world.ts'
import type { Client } from './client.ts'
import type { Inbox } from './folder.ts'
import { HoldWatch } from './hold-watch.ts'
import type { Ask } from './http-load.ts'
import { Load } from './load.ts'
import type { Row } from './report.ts'
import type { SmtpWork } from './smtp-load.ts'

/** How often what changes nothing is asked. */
const repeats = 5
const listed = 10

/** For how long requests hold the event loop in one go: every operation that the API describes, about a large folder;
 *  the hardest forms of them that we know; large messages that come in and are read. The worst are listed. */
export async function holds(
  world: World,
  client: Client,
  furnished: Furnished,
  inbox: Inbox,
  largest: number,
): Promise<Row[]> {
  const found: { what: string; longest: number }[] = []
  using watch = new HoldWatch()
  const measure = async (what: string, times: number, work: () => Promise<unknown>) => {
    watch.reset()
    for (let count = 0; count < times; count++) await work()
    found.push({ what, longest: await watch.settle() })
  }
  const request = (ask: Ask, about = '') => {
    const { method = 'GET', path } = ask
    const what = `${method} ${path.replace(/mailbox=[^&]*&?/, '')}${about}`
    return measure(what, method === 'GET' ? repeats : 1, () => client.ask(1, [ask]))
  }

  for (const ask of await folderAsks(client, furnished, inbox)) await request(ask)
  for (const ask of await everyAsk(world, furnished)) await request(ask)
  await using smtp = new Load<SmtpWork, number>('smtp-load.ts')
  for (const attached of [false, true]) {
    const about = `, ${attached ? 'an attachment' : 'a text'} of ${largest} bytes`
    const { address } = furnished
    const work = {
      port: world.smtp.port,
      connections: 1,
      messages: 1,
      recipients: [address],
      octets: largest,
      attached,
    }
    await measure(`SMTP${about}`, repeats, () => smtp.run(work))
    const { data } = await client.json(`/v1/messages?mailbox=${address}&limit=1`)
    for (const part of ['', '/raw', ...(attached ? ['/attachments/2'] : [])]) {
      await request({ path: `/v1/messages/${data[0].uid}${part}?mailbox=${address}` }, about)
    }
  }

  found.sort((a, b) => b.longest - a.longest)
  return found.slice(0, listed).map(({ what, longest }, place) => ({
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
async function folderAsks(client: Client, { address }: Furnished, inbox: Inbox): Promise<Ask[]> {
  await inbox.converse(1_000)
  const threads = `/v1/threads?mailbox=${address}&limit=100`
  const long = (await client.json(threads)).data[0].id
  const asks: Ask[] = [{ path: `/v1/threads/${long}?mailbox=${address}` }]
  const messages = `/v1/messages?mailbox=${address}&limit=100`
  const conditions = ['', '&unread=true', '&unread=false'].flatMap((unread) => [unread, `${unread}&label=receipts`])
  for (const list of [threads, ...conditions.map((condition) => messages + condition)]) {
    const { total } = await client.json(list)
    asks.push({ path: list }, { path: `${list}&page=${Math.floor((total - 1) / 100)}` })
  }
  const uids = Array.from({ length: Math.min(500, inbox.count) }, (_, number) => number + 2)
  const change = { method: 'PATCH', path: `/v1/messages?mailbox=${address}` }
  for (const what of [{ unread: true }, { unread: false }, { add_labels: ['receipts'] }, { folder: 'Elsewhere' }]) {
    asks.push({ ...change, body: { uids, ...what } })
  }
  return asks
}
