import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readSearchable, type Searchable } from '#/formats/mime/body/searchable.ts'
import { readMessage } from '#/formats/mime/read-message.ts'
import { printQuery } from '#/mail/search/query.ts'
import type { SearchTree } from '#/mail/search-index/query.ts'
import { samples } from '#test/world/letters/reports/samples.ts'
import { World } from '#test/world/world.ts'
import { folded, type Judged, numbers, pick, shouldFind } from './mail.ts'

const corpus = join(import.meta.dirname, '../../world/corpus')
const queries = 300
const fields = ['subject', 'from', 'to', 'cc', 'filename', 'text'] as const

const world = await World.ofFile()
const { organization, id: mailboxId, address } = await world.mailbox('ada')
const mailbox = { organizationId: organization.id, mailboxId }

/** Stores messages whose received dates are a second apart, and answers what a plain reading finds in them. */
async function store(raws: readonly Buffer[]): Promise<Judged[]> {
  const all = raws.map((raw, at) => {
    const marks = { seen: at % 2 === 0, flagged: at % 5 === 0, receivedAt: new Date(Date.UTC(2026, 0, 1) + at * 1_000) }
    const message = readMessage(raw)
    const copy = { ...{ mailbox, folder: 'inbox', message, ...marks }, keywords: [], filteredBy: [] }
    const { messageId, hasAttachment } = message
    const texts = textsIn(readSearchable(raw))
    const sizeBytes = raw.length
    return { copy, ...marks, ...{ folder: 'inbox', texts, hasAttachment, labelled: false, messageId, sizeBytes } }
  })
  const copies = all.map(({ copy }) => copy)
  await world.store(copies)
  await world.searchIndexer?.processAll()
  return all
}

/** Each text is folded once: a query asks all of them. */
function textsIn(searchable: Searchable): Judged['texts'] {
  const plain = new Map(fields.map((field) => [field, searchable[field].map(folded)]))
  const any = fields.flatMap((field) => plain.get(field) ?? [])
  return (field) => (field === 'any' ? any : (plain.get(field) ?? []))
}

type Random = (below: number) => number

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
  const field = pick(['any', 'any', 'any', 'subject', 'from', 'to', 'cc', 'filename'] as const, random)
  const texts = message.texts(field).map((text) => text.split(' ').filter((word) => [...word].length <= 60))
  const words = texts.length > 0 ? pick(texts, random) : []
  if (words.length === 0 || words[0] === '') return { kind: 'message_id', id: message.messageId ?? '<none@x>' }
  const from = random(words.length)
  return { kind: 'text', field, text: words.slice(from, from + 1 + random(3)).join(' ') }
}

/** The uids that are found, on all pages. */
async function found(q: string): Promise<number[]> {
  const uids: number[] = []
  for (let cursor = ''; ; ) {
    const given = new URLSearchParams({ q, mailbox: address, limit: '100', ...(cursor && { cursor }) })
    const { data, next_cursor } = await organization.bodyOf(200, 'GET', `/v1/search?${given}`)
    uids.push(...data.map(({ uid }: { uid: number }) => uid))
    if (next_cursor === null) return uids
    cursor = next_cursor
  }
}

test('messages as programs of all kinds write them are found by the words that a plain reading finds in them', async () => {
  const files = globSync('*.eml', { cwd: corpus }).sort()
  const all = await store([...files.map((name) => readFileSync(join(corpus, name))), ...samples.map(({ raw }) => raw)])
  assert.ok(all.length > 50)
  const [random, now] = [numbers(29), new Date(world.clock.now())]
  let finding = 0
  for (let count = 0; count < queries; count++) {
    const tree = queryAbout(all, random)
    const expected = all.flatMap((message, at) => (shouldFind(tree, message, now) ? [at + 1] : [])).reverse()
    assert.deepEqual(await found(printQuery(tree)), expected, printQuery(tree))
    if (expected.length > 0) finding++
  }
  assert.ok(finding > (2 / 3) * queries)
})
