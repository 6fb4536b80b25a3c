import assert from 'node:assert/strict'
import { readSearchable, type Searchable } from '#/mime/body/searchable.ts'
import type { SearchField, SearchTree } from '#/ports/search.ts'
import { printQuery } from '#/search/query.ts'
import { wordsOf } from '#/search/words.ts'
import type { World } from '#test/world/world.ts'
import { folded, type Judged, messageOf, numbers, pick, shouldFind } from './mail.ts'

const fields = ['subject', 'from', 'to', 'cc', 'filename', 'text'] as const
/** Messages that are stored at once. */
const together = 200
/** One key may make 600 requests a minute. */
const asMany = 500
/** So many words of a message are indexed (docs/reference/search.md). */
const mostWords = 16_000

type Random = (below: number) => number

/** Results of searches of real mail, and of a scan of every message. */
export interface Compared {
  readonly messages: number
  /** Those of more words than are indexed, which are not compared. */
  readonly long: number
  readonly queries: number
  /** Queries that found something. */
  readonly finding: number
  readonly differing: readonly { readonly q: string; readonly missed: number; readonly wrong: number }[]
}

/** Stores messages in a mailbox, and looks for words and phrases that are in them. */
export async function compareSearches(
  world: World,
  messages: Iterable<Buffer> | AsyncIterable<Buffer>,
  queries: number,
): Promise<Compared> {
  const { organization, id: mailboxId, address } = await world.mailbox('ada')
  const mailbox = { organizationId: organization.id, mailboxId }
  const all: Judged[] = []
  const long = new Set<number>()
  const store = async (raws: readonly Buffer[]) => {
    const copies = raws.map((raw) => {
      const [seen, flagged] = [all.length % 2 === 0, all.length % 5 === 0]
      const receivedAt = new Date(Date.UTC(2026, 0, 1) + all.length * 1_000)
      const message = messageOf(raw)
      const { messageId, hasAttachment } = message
      const searchable = readSearchable(raw)
      const texts = textsIn(searchable)
      if (isLong(searchable)) long.add(all.length + 1)
      const marks = { seen, flagged, receivedAt }
      all.push({
        ...marks,
        ...{ folder: 'inbox', texts, hasAttachment, labelled: false, messageId },
        sizeBytes: raw.length,
      })
      return { ...{ mailbox, folder: 'inbox', message, ...marks }, keywords: [], filteredBy: [] }
    })
    await world.db.transaction().execute((tx) => world.mailHost.append(tx, copies))
  }
  const waiting: Buffer[] = []
  for await (const raw of messages) {
    waiting.push(raw)
    if (waiting.length === together) await store(waiting.splice(0))
  }
  await store(waiting)
  await world.searchIndexer?.processAll()

  const random = numbers(29)
  const now = new Date(world.clock.now())
  const differing: { q: string; missed: number; wrong: number }[] = []
  let finding = 0
  let requests = 0
  for (let count = 0; count < queries; count++) {
    const tree = queryAbout(all, random)
    const q = printQuery(tree)
    // Received dates are a second apart, and a folder's uids rise with them.
    const expected = all
      .flatMap((message, at) => (!long.has(at + 1) && shouldFind(tree, message, now) ? [at + 1] : []))
      .reverse()
    const found: number[] = []
    for (let cursor = ''; ; ) {
      if (++requests % asMany === 0) await world.advance(60_000)
      const given = new URLSearchParams({ q, mailbox: address, limit: '100', ...(cursor && { cursor }) })
      const { status, body, bytes } = await organization.request('GET', `/v1/search?${given}`)
      assert.equal(status, 200, `${q}: ${bytes}`)
      found.push(...body.data.map(({ uid }: { uid: number }) => uid).filter((uid: number) => !long.has(uid)))
      if (body.next_cursor === null) break
      cursor = body.next_cursor
    }
    finding += found.length > 0 ? 1 : 0
    const missed = expected.filter((uid) => !found.includes(uid)).length
    const wrong = found.filter((uid) => !expected.includes(uid)).length
    if (missed + wrong > 0 || found.join() !== expected.join()) differing.push({ q, missed, wrong })
  }
  return { messages: all.length, long: long.size, queries, finding, differing }
}

function isLong(searchable: Searchable): boolean {
  const words = fields.flatMap((field) => searchable[field]).map((text) => [...wordsOf(text)].length)
  return words.reduce((sum, count) => sum + count, 0) > mostWords
}

/** Each text is folded once: a query asks all of them. */
function textsIn(searchable: Searchable): Judged['texts'] {
  const plain = new Map(fields.map((field) => [field, searchable[field].map(folded)]))
  const any = fields.flatMap((field) => plain.get(field) ?? [])
  return (field) => (field === 'any' ? any : (plain.get(field) ?? []))
}

function queryAbout(all: readonly Judged[], random: Random): SearchTree {
  const one = () => termOf(pick(all, random), random)
  switch (random(8)) {
    case 0:
      return { kind: 'all', of: [one(), { kind: 'not', of: one() }] }
    case 1:
      return { kind: 'either', of: [one(), one()] }
    case 2: {
      const message = pick(all, random)
      return { kind: 'all', of: [termOf(message, random), termOf(message, random)] }
    }
    case 3:
      return { kind: 'all', of: [one(), { kind: pick(['attachment', 'unread', 'starred'] as const, random) }] }
    default:
      return one()
  }
}

/** Some words that follow each other in a text of the message. */
function termOf(message: Judged, random: Random): SearchTree {
  const field = pick(
    ['any', 'any', 'any', 'subject', 'from', 'to', 'cc', 'filename'] as const,
    random,
  ) satisfies SearchField
  const texts = message.texts(field).map((text) => text.split(' ').filter((word) => [...word].length <= 60))
  const words = texts.length > 0 ? pick(texts, random) : []
  if (words.length === 0 || words[0] === '') return { kind: 'message_id', id: message.messageId ?? '<none@x>' }
  const from = random(words.length)
  return { kind: 'text', field, text: words.slice(from, from + 1 + random(3)).join(' ') }
}
