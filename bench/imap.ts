import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startDovecot } from './imap/dovecot-peer.ts'
import { idleRows } from './imap/idle.ts'
import { startOurs } from './imap/ours.ts'
import { type Peer, perMailbox } from './imap/peer.ts'
import { appendOf, ImapLoadClient } from './load/imap-client.ts'
import { Letters } from './mailbox/letters.ts'
import { inTurns, type Row } from './report.ts'

interface Sizes {
  readonly messages?: number
  readonly rounds?: number
  readonly appended?: number
  /** Of the large message. */
  readonly octets?: number
  readonly synced?: number
  readonly idle?: number
  readonly arrivals?: number
}

/** What mail programs ask of an IMAP server with a large mailbox, of Mailroom and of Debian's Dovecot in turn, with the same messages;
 *  then what many idle connections cost. */
export async function imap({
  messages = 100_000,
  rounds = 5,
  appended = 1_000,
  octets = 25_000_000,
  synced = 20_000,
  idle = 2_000,
  arrivals = 200,
}: Sizes = {}): Promise<Row[]> {
  await using resources = new AsyncDisposableStack()
  const theirs = await startDovecot(resources, { messages, synced })
  const ours = await startOurs(resources, { messages, synced, others: Math.ceil(idle / perMailbox) })
  const large = Buffer.concat([Buffer.from('Subject: Large\r\n\r\n'), Buffer.alloc(octets, `${'x'.repeat(76)}\r\n`)])
  const compare = async (
    what: string,
    wish: { most?: number; least?: number },
    ask: (peer: Peer) => Promise<number>,
    // Quick commands are compared once both have what they need in memory: plans of statements, compiled code, pages.
    [uncounted, counted]: readonly [number, number] = [10, 3 * rounds],
  ) => {
    const pairs = await inTurns(
      counted,
      () => ask(theirs),
      () => ask(ours),
      uncounted,
    )
    // The best of each, for on a busy machine others are behind the rest.
    const [took, against] = [Math.min(...pairs.map(({ ours }) => ours)), Math.min(...pairs.map(({ floor }) => floor))]
    const value = wish.least === undefined ? took / against : against / took
    const from = `${took.toFixed(1)} ms against ${against.toFixed(1)} ms`
    return { what, value, unit: '×', ...wish, from } as const
  }
  const few = [1, rounds] as const
  const embedded = process.env.TEST_DATABASE_URL === undefined
  let word = 100
  return [
    await compare(`LOGIN and SELECT of ${messages}, unchanged since, with QRESYNC`, { most: 2 }, (peer) =>
      resync(peer, true),
    ),
    await compare('SELECT alone', { most: 2 }, (peer) => resync(peer, false)),
    await compare('FETCH of all FLAGS', { most: 2 }, (peer) => within(peer, `UID FETCH 1:* (FLAGS)`)),
    await compare('ENVELOPE and BODYSTRUCTURE of the newest 50', { most: 1.5 }, (peer) =>
      within(peer, `FETCH ${Math.max(1, messages - 49)}:${messages} (UID ENVELOPE BODYSTRUCTURE)`),
    ),
    await compare('SEARCH of a word', { most: 1 }, (peer) => within(peer, `UID SEARCH TEXT person${word++ >> 1}`)),
    await compare(`APPEND of ${appended}, rate`, { least: embedded ? 0.5 : 1 }, (peer) => append(peer, appended), few),
    await compare(
      `BODY[] of ${octets} octets in pieces of 256 KiB, rate`,
      { least: 0.7 },
      (peer) => pieces(peer, large),
      few,
    ),
    await compare(`mbsync of ${synced}`, { most: 1.5 }, mbsync, few),
    ...[...ours.holds].map(([what, value], place) => ({
      ...({
        what: place === 0 ? 'longest holds of the event loop' : '',
        value,
        unit: 'ms',
        most: 50,
        from: what,
      } as const),
    })),
    ...(await idleRows(ours, { idle, arrivals })),
  ]
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

/** A program that has seen all before. */
async function resync(peer: Peer, withLogin: boolean): Promise<number> {
  await using before = await ImapLoadClient.open(peer)
  const { end } = await before.run('ENABLE QRESYNC', 'STATUS INBOX (UIDVALIDITY HIGHESTMODSEQ)')
  const [validity, modseq] = ['UIDVALIDITY', 'HIGHESTMODSEQ'].map((name) => new RegExp(`${name} (\\d+)`).exec(end)?.[1])
  const select = ['ENABLE QRESYNC', `SELECT INBOX (QRESYNC (${validity} ${modseq}))`]
  if (!withLogin) return await timed(() => before.run(...select))
  let opened: ImapLoadClient | undefined
  const took = await timed(async () => {
    opened = await ImapLoadClient.open(peer)
    await opened.run(...select)
  })
  await opened?.[Symbol.asyncDispose]()
  return took
}

async function within(peer: Peer, command: string): Promise<number> {
  await using client = await ImapLoadClient.open(peer)
  await client.run('SELECT INBOX')
  return await timed(() => client.run(command))
}

/** One after the other, as a program that copies messages does. */
async function append(peer: Peer, count: number): Promise<number> {
  await using client = await ImapLoadClient.open(peer)
  const letters = new Letters()
  const commands = Array.from({ length: count }, () => appendOf('Archive', letters.next(), letters.marks()))
  await client.run('CREATE Archive').catch(() => {}) // it may be there
  return await timed(async () => {
    for (const command of commands) await client.run(command)
  })
}

async function pieces(peer: Peer, large: Buffer): Promise<number> {
  await using client = await ImapLoadClient.open(peer)
  await client.run('CREATE Large').catch(() => {}) // it may be there
  await client.run(appendOf('Large', large, { seen: true }))
  await client.run('SELECT Large')
  const size = 256 * 1024
  const took = await timed(async () => {
    for (let from = 0; from < large.length; from += size) await client.run(`FETCH * BODY.PEEK[]<${from}.${size}>`)
  })
  await client.run('STORE 1:* +FLAGS.SILENT (\\Deleted)', 'EXPUNGE')
  return took
}

async function mbsync({ port, syncing, password }: Peer): Promise<number> {
  const directory = await mkdtemp(join(tmpdir(), 'mailroom-mbsync-'))
  await mkdir(join(directory, 'mail'))
  const rc = join(directory, 'mbsyncrc')
  await writeFile(
    rc,
    `
IMAPStore server
Host 127.0.0.1
Port ${port}
User ${syncing}
Pass "${password}"
AuthMechs LOGIN
SSLType None

MaildirStore here
Path ${directory}/mail/
Inbox ${directory}/mail/INBOX

Channel all
Far :server:
Near :here:
Create Near
Sync Pull
SyncState *
`,
  )
  const took = await timed(() => promisify(execFile)('mbsync', ['-q', '-c', rc, 'all'], { timeout: 1_200_000 }))
  await rm(directory, { recursive: true })
  return took
}
