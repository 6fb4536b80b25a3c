import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type AppendMessage, appendMessages } from '#/adapters/mail-host/imap/changing/append.ts'
import { ImapSession } from '#/adapters/mail-host/imap/client/session.ts'
import type { MailboxRef } from '#/ports/mail-host.ts'
import { DovecotServer } from '#test/peers/dovecot/imap-server.ts'
import { World } from '#test/world/world.ts'
import { Client } from './load/client.ts'
import { buildIndexes } from './mailbox/index-builds.ts'
import { Letters } from './mailbox/letters.ts'
import { median, type Row } from './report.ts'

const deployed = readFileSync(join(import.meta.dirname, '../deploy/dovecot/2.3/dovecot.conf'), 'utf8')
/** What of the configuration that we give says how folders are kept. */
const settings = deployed.match(/^(?:mail_always_cache_fields|import_environment) = .*$/gm)?.join('\n')
const run = promisify(execFile)

/** Conversations of a large mdbox folder on a real Dovecot, its index and its first page over HTTP, against Dovecot's own
 *  `UID THREAD REFS` of it, all caches warm. Dovecot and the service have a core each where there are two. */
export async function dovecot({ messages = 100_000, rounds = 5, looks = 15 } = {}): Promise<Row[]> {
  await using server = await DovecotServer.start(settings)
  await using world = await World.start({ env: { MAILROOM_IMAP_URL: server.url } })
  const organization = await world.organization({ plan: 'self_hosted' })
  const { id: mailboxId, address } = await organization.mailbox('ada')
  const mailbox = { organizationId: organization.id, mailboxId }
  await copy(await prepared(messages), server.mailOf(mailboxId))

  const refs = async () => threadRefs(server, mailboxId)
  await refs()
  const folder = await firstReads(world, mailbox, messages, rounds, refs)
  await using client = new Client(organization)
  const list = `/v1/threads?mailbox=${address}&limit=25`
  const page = async () => (await client.ask(1, [{ path: list }])).times[0] ?? Number.NaN
  await page()
  const other = await ImapSession.open(server.server, mailboxId)
  await other.select('INBOX')
  const changes = {
    'nothing changed': async () => {},
    'a message came': () => appendMessages(other, 'INBOX', [filed(new Letters())]),
    'a flag changed': flip(other, messages),
  }
  const rows: Row[] = []
  for (const [what, change] of Object.entries(changes)) {
    const times: number[] = []
    for (let look = 0; look < looks; look++) {
      await change()
      times.push(await page())
    }
    const [took, against] = [median(times), median([await refs(), await refs(), await refs()])]
    const from = `${took.toFixed(1)} ms against UID THREAD REFS, ${against.toFixed(0)} ms`
    rows.push({ what: `GET /v1/threads, ${what}`, value: took / against, unit: '×', most: 0.05, from })
  }
  other.connection.close()
  return [...folder, ...rows]
}

/** The index is built in turns with what Dovecot reads itself. */
async function firstReads(
  world: World,
  mailbox: MailboxRef,
  messages: number,
  rounds: number,
  refs: () => Promise<number>,
): Promise<Row[]> {
  const times: number[] = []
  const before = async () => times.push(await refs())
  const builds = await buildIndexes(world.mailHost, mailbox, { rounds, before })
  const ms = median(builds.map((build) => build.ms))
  const from = `${ms.toFixed(0)} ms against UID THREAD REFS, ${median(times).toFixed(0)} ms`
  return [
    {
      what: `index of ${messages} messages: building it`,
      value: median(builds.map((build, round) => build.ms / (times[round] ?? Number.NaN))),
      unit: '×',
      most: 4,
      from,
    },
    { what: '  the same', value: ms, unit: 'ms', most: 1_000 },
    { what: '  our own CPU time in it', value: median(builds.map(({ cpu }) => cpu)), unit: 'ms' },
    { what: '  longest hold of the event loop', value: median(builds.map(({ hold }) => hold)), unit: 'ms', most: 50 },
    { what: '  memory of a message', value: median(builds.map(({ bytes }) => bytes)), unit: 'bytes', most: 120 },
  ]
}

/** Milliseconds of `UID THREAD REFS` in a session of its own. */
async function threadRefs({ server }: DovecotServer, login: string): Promise<number> {
  const session = await ImapSession.open(server, login)
  await session.select('INBOX')
  const { connection } = session
  const start = performance.now()
  await connection.run(['UID THREAD REFS UTF-8 ALL'], {
    onBytes: (bytes, start) => bytes[start] === 0x2a,
    timeout: 60_000,
  })
  const ms = performance.now() - start
  connection.close()
  return ms
}

/** The newest of the prepared messages is read, unread, read, … */
function flip(session: ImapSession, uid: number): () => Promise<unknown> {
  let seen = false
  return () => {
    seen = !seen
    return session.connection.run([`UID STORE ${uid} ${seen ? '+' : '-'}FLAGS.SILENT (\\Seen)`])
  }
}

function filed(letters: Letters): AppendMessage {
  const raw = letters.next()
  const receivedAt = new Date(1_700_000_000_000 + letters.count * 60_000)
  return { raw, messageId: null, receivedAt, ...letters.marks(), filteredBy: [] }
}

/** A directory with a mailbox of so many messages, as Dovecot keeps it. To make one takes some ten seconds, so it is kept
 *  between runs, under a name that follows what is in it. */
async function prepared(messages: number): Promise<string> {
  const sources = ['mailbox/letters.ts', 'dovecot.ts'].map((name) => readFile(join(import.meta.dirname, name)))
  const hash = createHash('sha256').update(deployed)
  for (const source of await Promise.all(sources)) hash.update(source)
  const made = join(tmpdir(), `mailroom-dovecot-${messages}-${hash.digest('hex').slice(0, 16)}`)
  if (existsSync(made)) return made
  await using server = await DovecotServer.start(settings)
  const session = await ImapSession.open(server.server, 'ada')
  const letters = new Letters()
  while (letters.count < messages) {
    const batch = Math.min(1_000, messages - letters.count)
    const appended = Array.from({ length: batch }, () => filed(letters))
    await appendMessages(session, 'INBOX', appended)
  }
  session.connection.close()
  const making = await mkdtemp(`${made}-`)
  await copy(server.mailOf('ada'), join(making, 'ada'))
  await rename(join(making, 'ada'), made).catch(() => {})
  await rm(making, { recursive: true })
  return made
}

/** With its owner, who is not us. */
async function copy(from: string, to: string): Promise<void> {
  await run('cp', ['-a', from, to])
}
