import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import { Keyring } from '#/base/secrets/keyring.ts'
import { sealingKey } from '#/base/secrets/seal.ts'
import { sealedAs } from '#/domains/dkim/make-keys.ts'
import { signingKeys } from '#/domains/dkim/signing-keys.ts'
import { messageDate } from '#/formats/mime/header/date.ts'
import { compose } from '#/out/compose/compose.ts'
import { signed } from '#/out/compose/sign.ts'
import { sealedAs as mailOutKey, sealedFields, sealedPiece } from '#/out/queue/sealed.ts'
import { type DatabaseHome, databaseHome } from '#test/world/database/database.ts'
import { giveKeys } from '#test/world/organization/signing-domain.ts'
import { insertOrganization } from '#test/world/organization/stored-organization.ts'
import { type Service, startService } from '#test/world/service.ts'
import { Load } from './load/load.ts'
import type { PooledWork } from './load/pooled-load.ts'
import type { SinkWork, Taken } from './load/smtp-sink.ts'
import type { Row } from './report.ts'

const domain = 'bench.test'
const octets = 4_000
const scheduledAt = new Date()

/** The number of messages that are inserted together. */
const atOnce = 500

/** To the relay from one process, as src/out/relay/smarthost.ts has it. */
const connections = 20

/** Scheduled messages that are due at one moment, signed when they were scheduled, and handed to an SMTP server by two
 *  workers, with a copy of each in Sent and none sent twice, against nodemailer's pooled transport that sends one of them as
 *  often. The workers are two processes on a server; the embedded database has one. Both sides have sent a fifth as many
 *  before, as what runs for days has; and the other sends half before ours and half after, since the speed of a shared
 *  machine drifts. */
export async function scheduled({ messages = 10_000 } = {}): Promise<Row[]> {
  await using home = await databaseHome()
  await using sink = new Load<SinkWork, Taken>('smtp-sink.ts')
  const { port } = await sink.run({ until: 0 })
  const first = messages / 5
  const firstDueAt = new Date(Math.ceil(Date.now() / 1_000 + 6 + messages / 1_000) * 1_000)
  const dueAt = new Date(firstDueAt.getTime() + 2_000 + first * 15 + messages)
  const { key, address } = await furnish(home, [
    { messages: first, dueAt: firstDueAt },
    { messages, dueAt },
  ])

  const workers = await startWorkers(home, port)
  while ((await inSent(workers[0], key, address)) < first) await setTimeout(50)
  const { sample } = await sink.run({ until: first })
  await using pooled = new Load<PooledWork, number>('pooled-load.ts')
  const half = { port, connections, messages: messages / 2, raw: `${sample}\r\n` }
  await pooled.run({ ...half, messages: first })
  const before = await pooled.run(half)

  const start = dueAt.getTime()
  // Counted from what was sent: on a slow machine the sink may have some of ours by now.
  const base = 2 * first + half.messages
  const atStart = await memoryOf(workers)
  await sink.run({ until: base + messages / 4 })
  const atQuarter = await memoryOf(workers)
  await sink.run({ until: base + messages / 2 })
  const atHalf = await memoryOf(workers)
  const { at } = await sink.run({ until: base + messages })
  const atEnd = await memoryOf(workers)
  while ((await inSent(workers[0], key, address)) < first + messages) await setTimeout(50)
  const copied = Date.now()
  for (const worker of workers) assert.deepEqual(await worker.end('SIGTERM'), { code: 0, signal: null })
  const taken = await sink.run({ until: 0 })
  assert.deepEqual([taken.messages, taken.ids], [base + messages, first + messages], 'each message is sent, and once')
  await assertDone(home, first + messages)

  const ms = before + (await pooled.run(half))
  const [ours, floor] = [messages / (at - start), messages / ms].map((perMs) => perMs * 1_000) as [number, number]
  const megabytes = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MB`
  return [
    {
      what: 'scheduled messages a second',
      value: ours / floor,
      unit: '×',
      least: home.env.DATABASE_URL ? 0.75 : 0.6,
      from: `${ours.toFixed(0)} against ${floor.toFixed(0)}`,
    },
    {
      what: 'until the last copy is in Sent, of the time until the last is sent',
      value: (copied - start) / (at - start),
      unit: '×',
      from: `${copied - start} against ${at - start} ms`,
    },
    {
      what: 'memory at the end, of that at half of the way',
      value: atEnd / atHalf,
      unit: '×',
      most: 1.2,
      from: [atStart, atQuarter, atHalf, atEnd].map(megabytes).join(', '),
    },
  ]
}

async function startWorkers(home: DatabaseHome, port: number): Promise<Service[]> {
  const env = {
    ...home.env,
    MAILROOM_RELAY_URL: `smtp://127.0.0.1:${port}?starttls=never`,
    MAILROOM_TICK_SECONDS: '1',
  }
  return Promise.all(Array.from({ length: home.env.DATABASE_URL ? 2 : 1 }, () => startService(env)))
}

/** How many messages the sender's folder Sent holds. */
async function inSent(service: Service | undefined, key: string, address: string): Promise<number> {
  const query = `/v1/messages?mailbox=${address}&folder=sent&limit=1`
  const answer = await fetch(`${service?.http}${query}`, { headers: { authorization: `Bearer ${key}` } })
  return ((await answer.json()) as { total: number }).total
}

/** Resident, in bytes, of all of them. */
async function memoryOf(services: readonly Service[]): Promise<number> {
  let sum = 0
  for (const { process } of services) {
    const status = await readFile(`/proc/${process.pid}/status`, 'utf8')
    sum += Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024
  }
  return sum
}

async function furnish(
  home: DatabaseHome,
  due: readonly { messages: number; dueAt: Date }[],
): Promise<{ key: string; address: string }> {
  await using database = await home.open()
  const { db } = database
  const secret = home.env.MAILROOM_SECRET ?? ''
  const { organizationId, addresses, key } = await insertOrganization(db, { domain, mailboxes: ['ada'] })
  await giveKeys(db, secret, { organizationId, domain })
  const [address = ''] = addresses
  const id = '<000000000@bench.test>'
  const recipient = 'bob@there.example'
  const raw = await compose(
    {
      ...{ from: { name: 'Ada', address }, to: [{ name: 'Bob', address: recipient }], subject: 'Your invoice' },
      ...{ cc: [], bcc: [], replyTo: [], inReplyTo: [], references: [], attachments: [], html: null },
      text: `${'Please find it below. '.repeat(3)}\n`.repeat(octets / 67),
    },
    { messageId: id, date: scheduledAt },
  )
  const keys = await signingKeys(db, sealingKey(new Keyring(secret), sealedAs), organizationId, domain)
  const mailKey = sealingKey(new Keyring(secret), mailOutKey)
  const listed = { to: [recipient], cc: [], bcc: [], subject: 'Your invoice' }
  let n = 0
  for (const { messages, dueAt } of due) {
    const composed = raw.toString('latin1').replace(messageDate(scheduledAt), messageDate(dueAt))
    for (let left = messages; left > 0; left -= atOnce) {
      const ids = Array.from({ length: Math.min(left, atOnce) }, () => `<${String(++n).padStart(9, '0')}@bench.test>`)
      const uuids = ids.map(() => randomUUID())
      const octets = await Promise.all(ids.map((one) => signed(Buffer.from(composed.replace(id, one)), keys, dueAt)))
      await sql`
        with message as (
          insert into outbound_messages (id, organization_id, mailbox_id, kind, state, sender, smtp_utf8, eight_bit,
            size_bytes, created_at, queued_at, send_at, allowance_due, fields, attachment_count, scheduled_by)
          select one.id, organization_id, mailboxes.id, 'scheduled', 'scheduled', address, false, false, size, now(),
            ${dueAt}, ${dueAt}, 1, fields, 0, 'api_key'
          from mailboxes, unnest(${uuids}::uuid[], ${octets.map(({ length }) => length)}::integer[],
            ${uuids.map((one) => sealedFields(mailKey, one, listed))}::bytea[]) as one (id, size, fields)
          where organization_id = ${organizationId}
        ), recipient as (
          insert into outbound_recipients (message_id, organization_id, recipient, route, state, due_at)
          select id, ${organizationId}::uuid, ${recipient}, '', 'held', ${dueAt} from unnest(${uuids}::uuid[]) as one (id)
        )
        insert into outbound_pieces (message_id, number, bytes)
        select id, 0, bytes from unnest(${uuids}::uuid[],
          ${octets.map((raw, at) => sealedPiece(mailKey, uuids[at] ?? '', 0, raw))}::bytea[]) as one (id, bytes)`.execute(
        db,
      )
    }
  }
  await sql`analyze outbound_messages, outbound_pieces, outbound_recipients`.execute(db)
  return { key, address }
}

/** Nothing is left to be sent, and each has its copy in Sent. */
async function assertDone(home: DatabaseHome, messages: number): Promise<void> {
  await using database = await home.open()
  const { rows } = await sql<{ left: number; sent: number }>`
    select (select count(*) from outbound_messages) as left,
      (select total from mail_folders where name = 'sent') as sent`.execute(database.db)
  assert.deepEqual(rows, [{ left: 0, sent: messages }])
}
