// Conversations of a large folder, on the database that tests use: node bench/threads.ts [MESSAGES]
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { idHash, idHashKey } from '#/mime/id-hash.ts'
import { readMessage } from '#/mime/message.ts'
import type { FolderState } from '#/ports/folder-changes.ts'
import type { Copy, MailboxRef } from '#/ports/mail-host.ts'
import { FolderIndex } from '#/threads/folder-index.ts'
import { World } from '../test/world.ts'

const count = Number(process.argv[2] ?? 100_000)
const key = idHashKey('any')
await using world = await World.start()
const organization = await world.organization()
const { id: mailboxId, address } = await organization.mailbox('ada')
const mailbox = { organizationId: organization.id, mailboxId }
await organization.request('POST', '/v1/labels', { name: 'Work' })
await fill(mailbox, count)

const [read, bytes] = await reading()
const [build, index, hold, memory] = await building()
say('reading the folder, nothing done with it', read, `${(bytes / count).toFixed(0)} bytes a message`)
say('building its index', build, `${(build / read).toFixed(2)} × reading`)
say(
  '  of which not reading',
  index,
  `${((100 * index) / build).toFixed(0)} %, ${((1000 * index) / count).toFixed(2)} µs a message`,
)
say('  longest hold of the event loop', hold)
process.stdout.write(`memory of the index: ${(memory / count).toFixed(1)} bytes a message\n`)

const list = `/v1/threads?mailbox=${address}&limit=25`
await sideBySide(300, '/v1/labels', list) // until the code is compiled
const [labels, warm] = await sideBySide(700, '/v1/labels', list)
say('GET /v1/labels', labels)
say('GET /v1/threads, nothing changed', warm, `${(warm / labels).toFixed(2)} × labels`)
const arrived = await timeAfter(100, list, () => file(mailbox, [letter(count + 1, [])]))
say('  after a message came', arrived, `${(arrived - warm).toFixed(2)} ms more`)
let seen = false
const flagged = await timeAfter(100, list, async () => {
  seen = !seen
  await world.mailHost.update(mailbox, 'inbox', [count], { seen })
})
say('  after a flag changed', flagged, `${(flagged - warm).toFixed(2)} ms more`)
const last = await timeAfter(50, `${list}&page=${Math.floor(count / 25 / 8)}`, async () => {})
say('  page far down', last, `${(last / warm).toFixed(2)} × the first`)

/** Everything that a build reads, chunk by chunk as it reads it. */
async function reading(): Promise<[ms: number, bytes: number]> {
  let best = Number.POSITIVE_INFINITY
  let bytes = 0
  for (let round = 0; round < 5; round++) {
    const start = performance.now()
    let state: FolderState | undefined
    bytes = 0
    for (;;) {
      const step = await world.mailHost.changes(mailbox, 'inbox', state)
      for (const column of Object.values(step.rows)) bytes += column.byteLength
      state = step.state
      if (!step.more) break
    }
    best = Math.min(best, performance.now() - start)
  }
  return [best, bytes]
}

/** The quickest of five: its time, what of that was not spent on reading, the longest hold, the memory. */
async function building(): Promise<[ms: number, index: number, hold: number, bytes: number]> {
  let best: [number, number, number, number] = [Number.POSITIVE_INFINITY, 0, 0, 0]
  for (let round = 0; round < 5; round++) {
    let reading = 0
    const folder = new FolderIndex({
      async changes(since) {
        const start = performance.now()
        const step = await world.mailHost.changes(mailbox, 'inbox', since)
        reading += performance.now() - start
        return step
      },
      hashOfNameless: (uidValidity, uid) => idHash(key, `${uidValidity} ${uid}`),
    })
    const delay = monitorEventLoopDelay({ resolution: 1 })
    delay.enable()
    const start = performance.now()
    await folder.upToDate()
    const ms = performance.now() - start
    delay.disable()
    if (ms < best[0]) best = [ms, ms - reading, delay.max / 1e6, folder.bytes]
  }
  return best
}

/** Medians, in milliseconds, of two requests that take turns, so that whatever else the machine does befalls both. */
async function sideBySide(requests: number, one: string, other: string): Promise<[number, number]> {
  const times: [number[], number[]] = [[], []]
  for (let request = 0; request < requests; request++) {
    times[0].push(await take(one))
    times[1].push(await take(other))
  }
  return [median(times[0]), median(times[1])]
}

async function timeAfter(requests: number, path: string, change: () => Promise<void>): Promise<number> {
  const times: number[] = []
  for (let request = 0; request < requests; request++) {
    await change()
    times.push(await take(path))
  }
  return median(times)
}

async function take(path: string): Promise<number> {
  world.clock.advance(1000)
  const start = performance.now()
  const response = await fetch(new URL(path, world.base), { headers: { authorization: `Bearer ${organization.key}` } })
  await response.arrayBuffer()
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}`)
  return performance.now() - start
}

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0
}

/** Conversations of one to some dozens of messages, a tenth of them without their root, from 10,000 people. */
async function fill(mailbox: MailboxRef, count: number): Promise<void> {
  const open: string[][] = []
  for (let first = 0; first < count; first += 1000) {
    const letters = Array.from({ length: Math.min(1000, count - first) }, (_, place) => {
      const number = first + place
      const conversation = Math.random() < 0.6 ? open[Math.floor(Math.random() * open.length)] : undefined
      const references = conversation ?? (Math.random() < 0.1 ? [`<lost${number}@elsewhere.example>`] : [])
      if (!conversation) open.push(references)
      if (open.length > 200) open.splice(Math.floor(Math.random() * 200), 1)
      const made = letter(number, references)
      references.push(idOf(number))
      if (references.length > 12) references.splice(1, 1)
      return made
    })
    await file(mailbox, letters)
  }
}

function idOf(number: number): string {
  return `<CAKx${number}.${number * 7919}@mail.gmail.example>`
}

function letter(number: number, references: readonly string[]): Buffer {
  const person = Math.floor(10_000 * Math.random() ** 2)
  return Buffer.from(
    `From: Person ${person} <person${person}@host${person % 100}.example>\r\nTo: ${address}\r\n` +
      `Subject: Number ${number}\r\nMessage-ID: ${idOf(number)}\r\n` +
      (references.length > 0
        ? `References: ${references.join('\r\n ')}\r\nIn-Reply-To: ${references.at(-1)}\r\n`
        : '') +
      `\r\n${'Some words of a letter. '.repeat(20)}\r\n`,
  )
}

async function file(mailbox: MailboxRef, letters: readonly Buffer[]): Promise<void> {
  const copies = letters.map((raw): Copy => {
    const rest = { seen: Math.random() < 0.8, flagged: false, keywords: [], filteredBy: [] }
    return { mailbox, folder: 'inbox', message: readMessage(raw), receivedAt: new Date(), ...rest }
  })
  await world.db.transaction().execute((tx) => world.mailHost.append(tx, copies))
}

function say(what: string, ms: number, more = ''): void {
  process.stdout.write(`${what}: ${ms.toFixed(ms < 10 ? 2 : 0)} ms${more && `, ${more}`}\n`)
}
