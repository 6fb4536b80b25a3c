import { databaseHome } from '#test/world/database/database.ts'
import { startDnsServer } from '#test/world/dns/dns-server.ts'
import { password, readingMailbox } from '#test/world/imap/serving.ts'
import { HoldWatch } from '#test/world/observe/hold-watch.ts'
import { type Service, startService } from '#test/world/service.ts'
import { World } from '#test/world/world.ts'
import { ImapLoadClient } from '../load/imap-client.ts'
import { Inbox } from '../mailbox/folder.ts'
import type { Peer } from './peer.ts'

/** Mailroom in a process of its own. */
export interface Ours extends Peer {
  readonly service: Service
  readonly address: string
  /** Logins of mailboxes with nothing in them. */
  readonly others: readonly string[]
  /** The longest hold of the event loop in milliseconds, by what was asked. */
  readonly holds: ReadonlyMap<string, number>
}

/** Fills two mailboxes as those of Dovecot are, and measures holds before the service has a process of its own. */
export async function startOurs(
  resources: AsyncDisposableStack,
  { messages, synced, others: count }: { messages: number; synced: number; others: number },
): Promise<Ours> {
  const home = resources.use(await databaseHome())
  const filled = await fill(home, { messages, synced, others: count })
  const dns = resources.use(await startDnsServer({ 'peer.example': { txt: ['v=spf1 ip4:127.0.0.1 -all'] } }))
  const service = await startService({ ...home.env, MAILROOM_DNS_SERVERS: dns.address, MAILROOM_IMAP_PORT: '0' })
  resources.defer(async () => void (await service.end('SIGTERM')))
  const [, port] = /"imap":\{"host":"[^"]*","port":(\d+)\}/.exec(service.written()) ?? []
  return { ...filled, port: Number(port), password, service }
}

async function fill(
  home: Awaited<ReturnType<typeof databaseHome>>,
  { messages, synced, others: count }: { messages: number; synced: number; others: number },
) {
  await using database = await home.open()
  const env = { MAILROOM_ROLES: 'api,mx,imap', MAILROOM_IMAP_PORT: '0' }
  await using world = await World.start({ database, env })
  const organization = await world.organization({ plan: 'self_hosted' })
  const ada = await readingMailbox(organization, 'ada')
  const bob = await readingMailbox(organization, 'bob')
  const others: string[] = []
  for (let n = 0; n < count; n++) others.push((await readingMailbox(organization, `other${n}`)).address)
  await new Inbox(world, ada).growTo(messages)
  await new Inbox(world, bob).growTo(synced)
  await world.searchIndexer?.processAll()
  const { address } = ada
  const holds = await holdsOf({ port: world.imap?.port ?? 0, login: address, password })
  // What was copied is to be indexed again, and a search reads all that is not.
  await world.searchIndexer?.processAll()
  return { login: address, syncing: bob.address, address, others, holds }
}

async function holdsOf(account: { port: number; login: string; password: string }): Promise<Map<string, number>> {
  await using client = await ImapLoadClient.open(account)
  using watch = new HoldWatch()
  const holds = new Map<string, number>()
  for (const command of [
    'SELECT INBOX',
    'UID FETCH 1:* (FLAGS)',
    'UID FETCH 1:* (UID MODSEQ) (CHANGEDSINCE 1)',
    'UID FETCH 1:2000 (ENVELOPE BODYSTRUCTURE)',
    'UID FETCH 1:2000 (BODY.PEEK[HEADER.FIELDS (SUBJECT FROM)])',
    'SEARCH TEXT host77',
    'SEARCH NOT SUBJECT 77 UNSEEN',
    'SORT (REVERSE ARRIVAL) UTF-8 ALL',
    'THREAD REFERENCES UTF-8 ALL',
    'UID STORE 1:* +FLAGS.SILENT (\\Flagged)',
    'UID COPY 1:5000 Archive',
    'STATUS INBOX (MESSAGES UNSEEN SIZE HIGHESTMODSEQ)',
  ]) {
    watch.reset()
    await client.run(command)
    holds.set(command, await watch.settle())
  }
  return holds
}
