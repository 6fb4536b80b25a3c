import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readHeaders } from '#/formats/mime/header/headers.ts'
import { threadIds } from '#/formats/mime/header/references.ts'
import { idHash, idHashKey } from '#/formats/mime/id-hash.ts'
import type { FolderChanges } from '#/mail/store/changes.ts'
import { type Happening, happening, unfiled } from '#test/mail/threads/folders.ts'
import { type ExpectedConversation, expectedConversations, type FiledMessage } from '#test/mail/threads/oracle.ts'
import { threadStep } from '#test/mail/threads/rows.ts'
import { growsTooFast } from '#test/world/observe/growth.ts'
import { type Conversation, ThreadIndex } from './thread-index.ts'

const key = idHashKey('a secret')
const namelessId = (uid: number) => `7 ${uid}`
const newIndex = () => new ThreadIndex(0, 7, (name) => idHash(key, name))

const folder = fc.array(unfiled, { maxLength: 16 }).map((messages) => file(messages, 1))

test('a folder falls into the conversations that the rule says, in order', () =>
  fc.assert(
    fc.property(folder, (messages) => {
      const index = newIndex()
      index.apply(step({ appended: messages }))
      assertAgrees(index, messages)
    }),
    { numRuns: 2000 },
  ))

test('however a folder came to be by appends, flags and expunges, it reads as if it had always been so', () =>
  fc.assert(
    fc.property(fc.array(happening, { maxLength: 12 }), (happenings) => {
      const index = newIndex()
      let messages: readonly FiledMessage[] = []
      let nextUid = 1
      for (const what of happenings) {
        const { changes, after } = happen(messages, what, nextUid)
        index.apply(changes)
        messages = after
        nextUid += what.appended.length
        assertAgrees(index, messages)
      }
    }),
    { numRuns: 500 },
  ))

test('a message that comes changes no id: the older side of a joined conversation names it, the other still finds it', () =>
  fc.assert(
    fc.property(folder, unfiled, (messages, late) => {
      const index = newIndex()
      index.apply(step({ appended: messages }))
      const before = allOf(index)
      index.apply(step({ appended: file([late], messages.length + 1) }))
      for (const one of before) {
        const now = index.find(one.root)
        assert.ok(now && new Set(uidsOf(one)).isSubsetOf(new Set(uidsOf(now))))
        if (now.lowest.uid === one.lowest.uid) assert.deepEqual(now.root, one.root)
      }
    }),
    { numRuns: 2000 },
  ))

const chain = ['<a@x>', '<b@x>', '<c@x>'] as const

for (const [what, headers, expected] of [
  ['a reply to its original', ['Message-ID: <a@x>', 'Message-ID: <b@x>\r\nIn-Reply-To: <a@x>'], [[1, 2]]],
  ['two replies to what is absent', [reply('<b@x>', '<a@x>'), reply('<c@x>', '<a@x>')], [[1, 2]]],
  ['a root that comes late', [reply('<b@x>', '<a@x>'), 'Message-ID: <a@x>'], [[1, 2]]],
  ['two messages with one id', ['Message-ID: <a@x>', 'Message-ID: <a@x>'], [[1, 2]]],
  ['a loop', [reply('<a@x>', '<b@x>'), reply('<b@x>', '<a@x>')], [[1, 2]]],
  ['a reply to itself', [reply('<a@x>', '<a@x>'), 'Message-ID: <b@x>'], [[2], [1]]],
  ['conversations that one reply links', [...chain.slice(0, 2).map(own), reply('<c@x>', '<a@x> <b@x>')], [[1, 2, 3]]],
  ['what a subject links', ['Message-ID: <a@x>\r\nSubject: Hi', 'Message-ID: <b@x>\r\nSubject: Re: Hi'], [[2], [1]]],
  ['ids that differ in case', ['Message-ID: <a@x>', reply('<b@x>', '<A@x>')], [[2], [1]]],
  ['a reply that leaves out the quotes of an id', ['Message-ID: <"a*"@x>', reply('<b@x>', '<a*@x>')], [[1, 2]]],
  ['strangers who replied to one address', [old('<b@x>', '<ann@x>'), old('<c@x>', '<ann@x>')], [[2], [1]]],
  ['an old reply to a message that is there', ['Message-ID: <a@x>', old('<b@x>', '<a@x>')], [[1, 2]]],
  ['an old reply whose original comes later', [old('<b@x>', '<a@x>'), 'Message-ID: <a@x>'], [[1, 2]]],
  ['messages without any id', ['Subject: one', 'Subject: one'], [[2], [1]]],
] as const)
  test(`${what}: ${expected.map((uids) => uids.join(' with ')).join(', ')}`, () => {
    const index = newIndex()
    index.apply(step({ appended: headers.map((text, place) => message(place + 1, `${text}\r\n`)) }))
    assert.deepEqual(allOf(index).map(uidsOf), expected)
  })

test('an old reply leaves the conversation when its original is deleted, and is back when that arrives again', () => {
  const index = newIndex()
  index.apply(step({ appended: [message(1, 'Message-ID: <a@x>\r\n'), message(2, `${old('<b@x>', '<a@x>')}\r\n`)] }))
  assert.equal(index.total, 1)
  index.apply(step({ expunged: [1] }))
  assert.deepEqual([index.total, index.find(idHash(key, '<a@x>'))], [1, undefined])
  index.apply(step({ appended: [message(3, 'Message-ID: <a@x>\r\n')] }))
  assert.deepEqual(allOf(index).map(uidsOf), [[2, 3]])
})

test('a page is a part of the whole, and past the end it is empty', () =>
  fc.assert(
    fc.property(folder, fc.integer({ min: 1, max: 6 }), fc.nat(8), (messages, limit, page) => {
      const index = newIndex()
      index.apply(step({ appended: messages }))
      assert.deepEqual(index.page(limit, limit * page), allOf(index).slice(limit * page, limit * page + limit))
    }),
  ))

const many = (count: number, headers: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => `${headers(at)}\r\n`)
const chained = (at: number) => reply(`<${at}@x>`, `<${at - 2}@x> <${at - 1}@x>`)
const manyIds = (count: number) => many(count, (id) => `<${id}@x>`).join(' ')

for (const [what, conversations, make] of [
  ['one Message-ID again and again', 1, (count) => many(count, () => own('<a@x>'))],
  ['a circle of replies', 1, (count) => many(count, (at) => reply(`<${at}@x>`, `<${(at + 1) % count}@x>`))],
  ['replies to themselves', 1_000, (count) => many(count, (at) => reply(`<${at}@x>`, `<${at}@x>`))],
  ['a chain whose every other message is missing', 1, (count) => many(count, (at) => chained(2 * at))],
  ['a chain that comes last message first', 1, (count) => many(count, (at) => chained(count - at))],
  ['replies to roots that nobody has', 10, (count) => many(count, (at) => reply(`<${at}@x>`, `<root${at % 10}@y>`))],
  ['messages without any id', 1_000, (count) => many(count, () => '')],
  ['two messages of many references', 1, (count) => many(2, (at) => reply(`<${at}@y>`, manyIds(100 * count)))],
] as const satisfies readonly (readonly [string, number, (count: number) => string[]])[])
  test(`every uid of ${what} is in exactly one conversation, and the work grows no faster than the folder`, () => {
    const headers = make(1_000)
    const index = newIndex()
    index.apply(step({ appended: headers.map((text, at) => message(at + 1, text)) }))
    assert.equal(index.total, conversations)
    const uids = allOf(index).flatMap(uidsOf)
    const sorted = uids.toSorted((a, b) => a - b)
    assert.deepEqual([0, ...sorted], [...headers.keys(), headers.length])
    const changes = new Map<string, FolderChanges>()
    const stepOf = (size: number) => {
      changes.set(`${size}`, step({ appended: make(size / 32).map((text, at) => message(at + 1, text)) }))
      return `${size}`
    }
    const read = (size: string) => {
      const index = newIndex()
      index.apply(changes.get(size) ?? assert.fail())
      index.apply(step({ expunged: [1] }))
      allOf(index)
    }
    assert.ok(!growsTooFast(read, stepOf))
  })

test('an index says what memory it holds', () => {
  const [messages, others] = [20_000, 5_000]
  const appended = Array.from({ length: messages }, (_, at) =>
    message(at + 1, `Message-ID: <${at}@x>\r\nReferences: <${at % others}@y> <${Math.max(0, at - 1)}@x>\r\n`),
  )
  const index = new ThreadIndex(messages, 7, (name) => idHash(key, name))
  for (let from = 0; from < messages; from += 1_000) index.apply(step({ appended: appended.slice(from, from + 1_000) }))
  const rows = (37 + 6 + 4 + 4) * messages
  const nodes = (14 + 8 + 4) * (messages + others)
  const named = 4 * 2 * messages
  const share = index.bytes / (rows + nodes + named)
  assert.ok(share > 1 && share < 1.05, `${share}`)
})

test('an index with more deleted messages than present ones is due to be rebuilt', () => {
  const index = newIndex()
  index.apply(step({ appended: Array.from({ length: 4000 }, (_, place) => message(place + 1, '')) }))
  index.apply(step({ expunged: Array.from({ length: 1999 }, (_, place) => place + 1) }))
  assert.equal(index.needsRebuild, false)
  index.apply(step({ expunged: Array.from({ length: 100 }, (_, place) => place + 2000) }))
  assert.equal(index.needsRebuild, true)
})

function own(id: string): string {
  return `Message-ID: ${id}`
}

function reply(id: string, references: string): string {
  return `Message-ID: ${id}\r\nReferences: ${references}`
}

test('a page is the same however far down it is, in a large folder whose messages came in no order of date', () => {
  const messages = file(
    Array.from({ length: 6_000 }, (_, number) => ({
      ...message(0, `Message-ID: <${number}@x>\r\nReferences: <${number % 3 === 0 ? number : number % 701}@y>`),
      receivedAt: (number * 7919) % 4001,
    })),
    1,
  )
  const index = newIndex()
  for (let from = 0; from < messages.length; from += 500) {
    index.apply(step({ appended: messages.slice(from, from + 500) }))
    index.apply(step({ expunged: messages.slice(from, from + 500).flatMap(({ uid }) => (uid % 5 === 0 ? uid : [])) }))
    const all = allOf(index)
    assert.equal(all.length, index.total)
    for (const offset of [1, 24, 25, 400, 1023, 1024, 1025, index.total - 1, index.total, index.total + 1])
      assert.deepEqual(index.page(3, offset), all.slice(offset, offset + 3), `from ${offset} on`)
  }
  assert.ok(index.total > 1_500)
})

/** As mailers of the nineties replied. */
function old(id: string, inReplyTo: string): string {
  return `Message-ID: ${id}\r\nIn-Reply-To: Message from Ann ${inReplyTo} of Monday`
}

function message(uid: number, headers: string): FiledMessage {
  return { uid, seen: false, receivedAt: 1000, sender: 'ann@x.test', headers }
}

function file(messages: readonly Omit<FiledMessage, 'uid'>[], firstUid: number): FiledMessage[] {
  return messages.map((message, place) => ({ ...message, uid: firstUid + place }))
}

function allOf(index: ThreadIndex): Conversation[] {
  return index.page(Number.MAX_SAFE_INTEGER, 0)
}

function uidsOf({ messages }: Conversation): number[] {
  return messages.map(({ uid }) => uid)
}

function assertAgrees(index: ThreadIndex, messages: readonly FiledMessage[]): void {
  const expected = expectedConversations(messages)
  assert.equal(index.messages, messages.length)
  assert.equal(index.total, expected.length)
  assert.deepEqual(allOf(index), expected.map(asFound))
  for (const conversation of expected)
    for (const id of conversation.ids) assert.deepEqual(index.find(idHash(key, id)), asFound(conversation))
  const connected = new Set(expected.flatMap(({ ids }) => ids))
  for (const id of ['<a@x>', '<b@x>', '<c@x>', '<d@x>'].filter((id) => !connected.has(id)))
    assert.equal(index.find(idHash(key, id)), undefined)
}

function asFound({ ids: _, root, uids, lowestUid, ...conversation }: ExpectedConversation): Conversation {
  const numbered = (uid: number) => ({ uid, number: uid })
  return {
    ...{ ...conversation, messages: uids.map(numbered), lowest: numbered(lowestUid) },
    root: idHash(key, root ?? namelessId(lowestUid)),
  }
}

/** What happens to the messages, as a mail host would report it: all at once, without what came and went meanwhile. */
function happen(messages: readonly FiledMessage[], { appended, flagged, removed }: Happening, nextUid: number) {
  const arrived = file(appended, nextUid)
  const expunged = new Set(removed.flatMap((which) => pick([...messages, ...arrived], which)?.uid ?? []))
  const flags = flagged.flatMap(({ which, seen }) => {
    const uid = pick(messages, which)?.uid
    return uid === undefined || expunged.has(uid) ? [] : { uid, seen }
  })
  const seenNow = new Map(flags.map(({ uid, seen }) => [uid, seen]))
  const after = [...messages, ...arrived]
    .filter(({ uid }) => !expunged.has(uid))
    .map((message) => ({ ...message, seen: seenNow.get(message.uid) ?? message.seen }))
  const appendedThere = arrived.filter(({ uid }) => !expunged.has(uid))
  const changedFlags = [...seenNow].map(([uid, seen]) => ({ uid, seen }))
  return { changes: step({ appended: appendedThere, flags: changedFlags, expunged: [...expunged] }), after }
}

function pick<T>(items: readonly T[], which: number): T | undefined {
  return items[which % Math.max(1, items.length)]
}

interface Step {
  appended?: readonly FiledMessage[]
  flags?: readonly { uid: number; seen: boolean }[]
  expunged?: readonly number[]
}

function step({ appended = [], ...rest }: Step): FolderChanges {
  const read = (headers: string) => threadIds(readHeaders(Buffer.from(`${headers}\r\n`)).headers)
  return threadStep(key, { appended: appended.map((one) => ({ ...one, ids: read(one.headers) })), ...rest })
}
