import { sql } from 'kysely'
import type { Db } from '#/base/db/schema.ts'
import { numbers } from '#test/mail/search/mail.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { World } from '#test/world/world.ts'
import { readMessage } from '../src/formats/mime/read-message.ts'
import { Client } from './load/client.ts'
import { fillInDatabase } from './mailbox/search-fill.ts'
import { median, type Row } from './report.ts'

const vocabulary = 50_000
const wordsOfALetter = 120
const mailboxes = 10
/** More are written by the database. */
const mostIndexed = 200_000

/** Queries as people make them; `w1` is in most letters, `w49999` in hardly any. */
const queries = [
  ...['w2', 'w50', 'w700', 'w9000', 'w40 w90', 'w3 w5 w8', '"w1 w2"', '"w300 w500"', 'w40000 OR w30000', 'w9 -w10'],
  ...['from:person77', 'from:person5 w20', 'subject:w12', 'to:ada3', 'w7 newer_than:7d', 'is:unread w30', 'is:starred'],
  ...['has:attachment w6', 'larger:5M', 'before:2026-06-01 w15'],
]

/** Search in ten mailboxes, each query against the bare look in the index for a page of what has its words. */
export async function search({ messages = 100_000, rounds = 5 } = {}): Promise<Row[]> {
  // Its own indexer would be at work meanwhile.
  await using world = await World.start({ env: { MAILROOM_ROLES: 'api,mx' } })
  const organization = await world.organization({ plan: 'self_hosted' })
  const ids: string[] = []
  for (let n = 0; n < mailboxes; n++) ids.push((await organization.mailbox(`ada${n}`)).id)
  const indexed = messages <= mostIndexed
  const bytes = indexed
    ? await fill(world, { organizationId: organization.id, ids, messages })
    : await fillInDatabase(world, { organizationId: organization.id, mailboxIds: ids, messages, vocabulary })
  const since = performance.now()
  await world.searchIndexer?.processAll()
  const indexing = performance.now() - since
  const measured = await measure(world, organization, { messages, bytes, rounds })
  return [
    ...measured,
    ...(indexed ? [{ what: 'indexing a message', value: indexing / messages, unit: 'ms' as const }] : []),
  ]
}

export async function measure(
  world: World,
  organization: TestOrganization,
  { messages, bytes, rounds }: { messages: number; bytes: number; rounds: number },
): Promise<Row[]> {
  await using client = new Client(organization)
  const times: number[] = []
  const ratios: number[] = []
  const slowest = { ms: 0, q: '' }
  for (const q of queries) {
    const [ours, floor] = await against(client, world.db, q, rounds)
    times.push(ours)
    ratios.push(ours / floor)
    if (ours > slowest.ms) Object.assign(slowest, { ms: ours, q })
  }
  const [rare] = await against(client, world.db, `w${vocabulary - 1}`, rounds)
  const { rows } = await sql<{ size: number }>`
    select pg_total_relation_size('mail_search') as size`.execute(world.db)
  const p95 = times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? Number.NaN
  return [
    {
      what: `a query over ${messages} messages, 95th percentile`,
      value: p95,
      unit: 'ms',
      most: 150,
      from: `slowest: ${slowest.q}, ${slowest.ms.toFixed(0)} ms`,
    },
    { what: '  median', value: median(times), unit: 'ms' },
    { what: '  against the bare query, median', value: median(ratios), unit: '×' },
    { what: 'a rare word', value: rare, unit: 'ms', most: 20 },
    { what: 'the index, of the bytes of mail', value: (rows[0]?.size ?? 0) / bytes, unit: '×', most: 0.35 },
  ]
}

/** Medians in milliseconds: of a request, and of the bare query for its first word. */
async function against(client: Client, db: Db, q: string, rounds: number): Promise<[number, number]> {
  const ask = [{ path: `/v1/search?q=${encodeURIComponent(q)}` }]
  const word = `'${/[a-z]+\d+/.exec(q)?.[0] ?? 'w1'}'`
  const floors: number[] = []
  await client.ask(1, ask)
  const { times } = await client.ask(rounds, ask)
  for (let round = 0; round <= rounds; round++) {
    const since = performance.now()
    await sql`select content_id from mail_search where search_vector(words) @@ ${word}::tsquery limit 26`.execute(db)
    if (round > 0) floors.push(performance.now() - since)
  }
  return [median(times), median(floors)]
}

/** Letters of 4.5 KB whose words are as frequent as those of a language, with headers and HTML as other servers and programs leave them.
 *  Answers their bytes. */
async function fill(
  world: World,
  { organizationId, ids, messages }: { organizationId: string; ids: readonly string[]; messages: number },
): Promise<number> {
  const random = numbers(3)
  const newest = world.clock.now()
  let bytes = 0
  for (let done = 0; done < messages; done += 500) {
    const copies = Array.from({ length: Math.min(500, messages - done) }, (_, index) => {
      const raw = letter(random, done + index)
      bytes += raw.length
      const age = ((messages - done - index) / messages) * 365 * 86_400_000
      const seen = random(5) > 0
      return {
        mailbox: { organizationId, mailboxId: ids[random(mailboxes)] ?? '' },
        ...{
          folder: random(4) === 0 ? 'archive' : 'inbox',
          message: readMessage(raw),
          seen,
          flagged: random(50) === 0,
        },
        ...{ receivedAt: new Date(newest - age), keywords: [], filteredBy: [] },
      }
    })
    await world.store(copies)
  }
  return bytes
}

function letter(random: (below: number) => number, number: number): Buffer {
  const word = () => `w${Math.floor(vocabulary ** (random(1_000_000) / 1_000_000))}`
  const text = (count: number) => Array.from({ length: count }, word).join(' ')
  const person = random(1_000)
  const noise = (length: number) => Array.from({ length }, () => random(36).toString(36)).join('')
  const body = text(wordsOfALetter)
  const host = `host${person % 100}.example`
  const hop = (from: string, by: string) =>
    `Received: from ${from} (${from} [192.0.2.7]) by ${by} with ESMTPS id ${noise(16)} (version=TLS1_3 cipher=TLS_AES_256_GCM_SHA384); Mon, 23 Nov 2026 10:00:00 +0000`
  const style = 'font-family: Helvetica, Arial, sans-serif; font-size: 14px; line-height: 20px; color: #222222'
  return Buffer.from(
    [
      ...[
        hop(`mail.${host}`, 'mx.tryout.test'),
        hop(`relay.${host}`, `mail.${host}`),
        hop('[10.0.0.7]', `relay.${host}`),
      ],
      `ARC-Seal: i=1; a=rsa-sha256; d=${host}; s=arc; cv=none; b=${noise(344)}`,
      `ARC-Message-Signature: i=1; a=rsa-sha256; c=relaxed/relaxed; d=${host}; s=arc; h=from:to:subject; bh=${noise(44)}; b=${noise(344)}`,
      `DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=${host}; s=s1; h=from:to:subject; bh=${noise(44)}; b=${noise(344)}`,
      `Authentication-Results: mx.tryout.test; spf=pass; dkim=pass; dmarc=pass`,
      `From: Person ${person} <person${person}@${host}>`,
      `To: ada${random(mailboxes)}@tryout.test`,
      `Subject: ${text(5)}`,
      `Message-ID: <${number}.${noise(16)}@${host}>`,
      ...['MIME-Version: 1.0', 'Content-Type: multipart/alternative; boundary=b1', ''],
      ...['--b1', 'Content-Type: text/plain', '', body],
      ...[
        '--b1',
        'Content-Type: text/html',
        '',
        `<html><body style="${style}"><p style="${style}">${body.replaceAll(' ', ' <span>')}</p></body></html>`,
      ],
      ...['--b1--', ''],
    ].join('\r\n'),
  )
}
