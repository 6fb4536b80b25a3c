import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { pino } from 'pino'
import { type AppendMessage, appendMessages } from '#/adapters/mail-host/imap/changing/append.ts'
import { ImapSession } from '#/adapters/mail-host/imap/client/session.ts'
import { MailWatcher } from '#/adapters/mail-host/imap/watch/watcher.ts'
import { letter } from '#test/conformance/mail-host/letters.ts'
import { imapMailHost } from '#test/peers/dovecot/imap-mail-host.ts'
import { DovecotServer } from '#test/peers/dovecot/imap-server.ts'
import { tap } from '#test/peers/dovecot/tap.ts'
import { startPostgres } from '#test/peers/postgres.ts'
import { HttpClient } from '#test/sockets/http-client.ts'
import { type DatabaseHome, databaseHome, homeAt } from '#test/world/database/database.ts'
import { type StoredOrganization, storeOrganization } from '#test/world/organization/stored-organization.ts'
import { launchService, type Service } from '#test/world/service.ts'

let dovecot: DovecotServer
before(async () => {
  dovecot = await DovecotServer.start()
})
after(() => dovecot[Symbol.asyncDispose]())

/** After the process has begun a check: its events follow some three seconds later. */
const killedAfterMs = [0, 2_900, 3_500]

function messages(count: number): AppendMessage[] {
  const rest = { messageId: null, receivedAt: new Date(0), seen: false, flagged: false, keywords: [], filteredBy: [] }
  return Array.from({ length: count }, () => ({ ...rest, raw: letter({}) }))
}

/** Another mail program, and the expected events: one message is stored, one flagged, one moved, each once. */
class Program {
  readonly done: string[] = []
  readonly #session: ImapSession
  #last: number
  #changed = 0
  #archived = 0

  /** `count` messages are in the inbox. */
  constructor(session: ImapSession, count: number) {
    this.#session = session
    this.#last = count
  }

  async change(): Promise<void> {
    const { connection } = this.#session
    await appendMessages(this.#session, 'INBOX', messages(1))
    await this.#session.select('INBOX')
    const [flagged, moved] = [++this.#changed, ++this.#changed]
    await connection.run([`UID STORE ${flagged} +FLAGS.SILENT (\\Flagged)`])
    await connection.run([`UID MOVE ${moved} Archive`])
    this.done.push(`message.received inbox ${++this.#last}`, `message.changed inbox ${flagged}`)
    this.done.push(`message.deleted inbox ${moved}`, `message.received archive ${++this.#archived}`)
  }
}

interface Event {
  readonly type: string
  readonly by: { readonly kind: string }
  readonly message: { readonly folder: string; readonly uid: number }
}

/** The events after a position in the log, and its end. */
async function read(
  { http }: Service,
  { key }: StoredOrganization,
  after: string,
): Promise<{ logged: string[]; next: string }> {
  const path = `/v1/events?types=message&wait=1${after && `&after=${after}`}`
  const { status, body } = await new HttpClient(http).request('GET', path, { key })
  assert.equal(status, 200)
  const logged = body.data.map(({ type, by, message: { folder, uid } }: Event) => {
    assert.equal(by.kind, 'mail_program')
    return `${type} ${folder} ${uid}`
  })
  return { logged, next: body.next }
}

/** The mailbox with messages in it, looked at for the first time since somebody listens. */
async function lookAtFirst(
  home: DatabaseHome,
  { organizationId }: StoredOrganization,
  count: number,
): Promise<ImapSession> {
  await using database = await home.open()
  const { db } = database
  const { server } = dovecot
  await using host = imapMailHost(db, server)
  const { id: mailboxId } = await db.selectFrom('mailboxes').select('id').executeTakeFirstOrThrow()
  await host.folders({ organizationId, mailboxId })
  const session = await ImapSession.open(server, mailboxId)
  await appendMessages(session, 'INBOX', messages(count))
  await db.insertInto('event_readers').values({ organization_id: organizationId, read_at: new Date() }).execute()
  await using watcher = new MailWatcher({ db, server, log: pino({ level: 'silent' }) })
  await watcher.round()
  return session
}

/** As if the lease of the process that was killed had ended, and the mailbox were due. */
async function endLease(home: DatabaseHome): Promise<void> {
  await using database = await home.open()
  await database.db
    .updateTable('imap_watches')
    .set({ leased_until: null, due_at: new Date(0) })
    .execute()
}

async function tellsAllThoughKilled(home: DatabaseHome): Promise<void> {
  await using resources = new AsyncDisposableStack()
  const organization = await storeOrganization(home, { domain: 'watched.test', mailboxes: ['ada'] })
  const way = resources.use(await tap(dovecot.server))
  const url = new URL(dovecot.url)
  url.port = String(way.port)
  const session = await lookAtFirst(home, organization, 4 * killedAfterMs.length + 2)
  resources.defer(() => session.connection.close())
  const program = new Program(session, 4 * killedAfterMs.length + 2)

  const start = async () => {
    await program.change()
    await endLease(home)
    const launched = launchService({ ...home.env, MAILROOM_IMAP_URL: url.href })
    resources.defer(() => void launched.process.kill('SIGKILL'))
    return await launched.running
  }
  for (const ms of killedAfterMs) {
    const before = way.said.length
    const doomed = await start()
    while (!way.said.slice(before).some((command) => command.includes('CHANGEDSINCE'))) await pause(20)
    await program.change()
    await pause(ms)
    await doomed.end('SIGKILL')
  }
  const last = await start()
  const logged: string[] = []
  for (let after = ''; !program.done.every((one) => logged.includes(one)); ) {
    const page = await read(last, organization, after)
    logged.push(...page.logged)
    after = page.next
  }
  await last.end('SIGTERM')
  assert.deepEqual(logged.sort(), program.done.sort(), 'no event is false or doubled')
}

describe('changes by another program have events though the checking process is killed', { concurrency: true }, () => {
  test('on the embedded database', async () => {
    await using home = await databaseHome({ embedded: true })
    await tellsAllThoughKilled(home)
  })

  test('on a PostgreSQL server', async () => {
    await using postgres = await startPostgres()
    await using home = await homeAt(postgres.url)
    await tellsAllThoughKilled(home)
  })
})
