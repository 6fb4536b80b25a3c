import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readHeaders } from '#/formats/mime/header/headers.ts'
import { threadIds } from '#/formats/mime/header/references.ts'
import { idHash, idHashKey } from '#/formats/mime/id-hash.ts'
import { unfiled } from '#test/mail/threads/folders.ts'
import {
  type ExpectedWholeConversation,
  expectedConversations,
  expectedWholeConversations,
  type FiledMessage,
  type PlacedMessage,
} from '#test/mail/threads/oracle.ts'
import { threadStep } from '#test/mail/threads/rows.ts'
import { each } from '#test/world/each.ts'
import { nameOf } from '../summaries.ts'
import { ThreadIndex } from '../thread-index.ts'
import { MailboxIndex, type WholeConversation } from './mailbox-index.ts'
import { judge, judgeBy, numbersOf, numbersWith } from './numbered.ts'

const key = idHashKey('a secret')
const state = { uidValidity: 7, modseq: 1, uidNext: 1 }
const names = ['Projects', 'archive', 'inbox', 'sent'] as const
type Name = (typeof names)[number]

/** What happens to a mailbox. Numbers pick among the messages that are there. */
type Happening =
  | { what: 'append'; folder: Name; messages: Omit<FiledMessage, 'uid'>[] }
  | { what: 'flag'; which: number[]; seen: boolean }
  | { what: 'move'; which: number[]; folder: Name }
  | { what: 'expunge'; which: number[] }
  | { what: 'look' }

const folder = fc.constantFrom(...names)
const which = fc.array(fc.nat(), { minLength: 1, maxLength: 4 })
const messages = fc.array(unfiled, { minLength: 1, maxLength: 4 })
const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ what: fc.constant('append'), folder, messages }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('flag'), which, seen: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ what: fc.constant('move'), which, folder }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('expunge'), which }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('look') }) },
)

test('whatever happened to its folders, a mailbox falls into the conversations that the rule says, and each folder as ever', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(happening, { maxLength: 14 }), async (happenings) => {
      const mailbox = new Mailbox()
      for (const one of happenings) {
        if (one.what === 'look') await mailbox.assertAgrees()
        else mailbox.happen(one)
      }
      await mailbox.assertAgrees()
    }),
    { numRuns: 1000 },
  )
})

test('moving messages changes no id of a conversation', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(folder, unfiled), { minLength: 1, maxLength: 12 }),
      fc.array(fc.tuple(which, folder), { minLength: 1 }),
      async (appended, moves) => {
        const mailbox = new Mailbox()
        for (const [to, message] of appended) mailbox.happen({ what: 'append', folder: to, messages: [message] })
        const before = await mailbox.roots()
        for (const [messages, to] of moves) mailbox.happen({ what: 'move', which: messages, folder: to })
        assert.deepEqual(await mailbox.roots(), before)
      },
    ),
    { numRuns: 300 },
  )
})

test('after more changes than are followed all conversations are found again', async () => {
  const mailbox = new Mailbox()
  const letter = (at: number) => ({ seen: true, receivedAt: at, sender: '', headers: `Message-ID: <${at}@x>\r\n` })
  mailbox.happen({ what: 'append', folder: 'sent', messages: [letter(1)] })
  await mailbox.roots()
  const reply = (at: number) => ({ ...letter(at), headers: `References: <1@x>\r\n${letter(at).headers}` })
  for (const first of [0, 15_000]) {
    const messages = Array.from({ length: 15_000 }, (_, at) => reply(first + at + 2))
    mailbox.happen({ what: 'append', folder: 'inbox', messages })
  }
  const index = await mailbox.index()
  assert.equal(index.total({}), 1)
  assert.equal(index.page({}, { limit: 2, from: 0 })[0]?.conversation.messages.length, 30_001)
})

test('once the numbers of conversations are used up, all get new ones', async () => {
  const mailbox = new Mailbox()
  for (let at = 1; at <= 6; at++) {
    // The first of them gives numbers to all.
    if (at === 2) mailbox.numbers.last = 2 ** 32 - 3
    const message = { seen: true, receivedAt: at, sender: '', headers: `Message-ID: <${at}@x>\r\n` }
    mailbox.happen({ what: 'append', folder: 'inbox', messages: [message] })
    await mailbox.index()
  }
  const index = await mailbox.index()
  assert.deepEqual([index.numbers({}).size, index.total({})], [6, 6])
  await mailbox.assertAgrees()
})

class Mailbox {
  #messages: PlacedMessage[] = []
  readonly #nextUid = new Map<string, number>()
  #lastNumber = 1_000
  readonly numbers = { last: 0 }
  readonly #indexes = new Map(names.map((name) => [name, new ThreadIndex(0, 7, (text) => idHash(key, text))]))

  happen(happening: Exclude<Happening, { what: 'look' }>): void {
    if (happening.what === 'append') {
      this.#append(happening.folder, happening.messages)
      return
    }
    const { length } = this.#messages
    const picked = this.#messages.filter((_, at) => happening.which.some((one) => one % length === at))
    const left = this.#messages.filter((one) => !picked.includes(one))
    for (const { folder, uid, number = uid } of picked) {
      const step = happening.what === 'flag' ? { flags: [{ uid, number, seen: happening.seen }] } : { expunged: [uid] }
      this.#indexes.get(folder as Name)?.apply(threadStep(key, step))
    }
    this.#messages = left
    if (happening.what === 'flag') this.#messages.push(...picked.map((one) => ({ ...one, seen: happening.seen })))
    if (happening.what === 'move') this.#append(happening.folder, picked)
  }

  async index(): Promise<MailboxIndex> {
    const folders = names.map((name) => ({ name, state, index: this.#indexes.get(name) as ThreadIndex }))
    const index = new MailboxIndex(folders, this.numbers)
    await index.refresh()
    return index
  }

  /** By their messages. */
  async roots(): Promise<Map<string, string>> {
    const index = await this.index()
    const listed = index.page({}, { limit: 1_000, from: 0 })
    const named = listed.map(({ conversation: { root, messages } }): [string, string] => {
      const headers = messages.map((one) => this.#message(one)).map(({ headers, receivedAt }) => receivedAt + headers)
      return [headers.sort().join(), root.toString('hex')]
    })
    return new Map(named.sort())
  }

  async assertAgrees(): Promise<void> {
    const index = await this.index()
    const expected = expectedWholeConversations(this.#messages)
    const listed = index.page({}, { limit: 1_000, from: 0 })
    const all = listed.map(({ conversation }) => shown(conversation))
    assert.deepEqual(all, expected.map(asShown))
    assert.equal(index.total({}), expected.length)
    for (const conversation of expected) {
      const [root] = conversation.roots.map((id) => idHash(key, id)).sort((a, b) => a.compare(b))
      for (const { folder, uid } of conversation.messages) {
        const roots = [...(index.roots(folder, [uid, 4_000]) ?? [])].map(([uid, { whole }]) => [uid, whole])
        assert.deepEqual(roots, [[uid, root]])
      }
      for (const id of conversation.ids) assertSame(index.find(idHash(key, id)), conversation)
    }
    for (const [at, { place }] of listed.entries()) {
      const next = index.page({}, { limit: 1, from: place })[0]?.conversation
      assert.deepEqual(next, listed[at + 1]?.conversation)
      assert.deepEqual(index.page({}, { limit: 1, from: at + 1 })[0]?.conversation, next)
    }
    this.#assertNarrowed(index, expected)
    this.#assertGathered(index, expected)
    for (const [name, folder] of this.#indexes) {
      const own = this.#messages.filter((one) => one.folder === name)
      const found = folder.page(1_000, 0).map(({ messages }) => messages.map(({ uid }) => uid))
      assert.deepEqual(found, each(expectedConversations(own), 'uids'))
    }
  }

  #assertNarrowed(index: MailboxIndex, expected: readonly ExpectedWholeConversation[]): void {
    for (const unread of [undefined, true, false])
      for (const name of [undefined, ...names]) {
        const wanted = { folder: name, unread }
        const here = (one: ExpectedWholeConversation) =>
          one.messages.filter((message) => message.folder === (name ?? message.folder))
        const fitting = expected.filter((one) => here(one).length > 0 && (unread ?? one.unread) === one.unread)
        const found = index.page(wanted, { limit: 1_000, from: 0 })
        const ids = new Set(found.map(({ conversation }) => idOf(conversation)))
        assert.deepEqual(ids, new Set(fitting.map(asShown).map(idOf)))
        assert.equal(index.total(wanted), fitting.length)
        assert.equal(found.length, fitting.length)
        const places = found.map(({ place }) => this.#message(place))
        assert.deepEqual(places, places.toSorted(newestFirst))
        for (const { conversation, place } of found)
          assert.equal(
            nameOf(place),
            conversation.messages
              .filter((message) => message.folder === (name ?? message.folder))
              .map(nameOf)
              .at(-1),
          )
      }
  }

  /** By participant, by messages that bear a mark, and by what was found of the newest message. */
  #assertGathered(index: MailboxIndex, expected: readonly ExpectedWholeConversation[]): void {
    const assertAmong = (numbers: ReadonlySet<number>, fits: (one: ExpectedWholeConversation) => boolean) => {
      for (const unread of [undefined, true]) {
        const wanted = { unread, among: numbers }
        const fitting = expected.filter((one) => fits(one) && (unread ?? one.unread) === one.unread)
        const found = index.page(wanted, { limit: 1_000, from: 0 })
        const all = found.map(({ conversation }) => shown(conversation))
        assert.deepEqual(all, fitting.map(asShown))
        assert.equal(index.total(wanted), fitting.length)
      }
    }
    for (const sender of new Set([...this.#messages.map((one) => one.sender), 'nobody@x.test'])) {
      if (sender === '') continue
      assertAmong(numbersWith(index.folders, sender), ({ participants }) => participants.includes(sender))
    }
    const isMarked = ({ uid }: { uid: number }) => uid % 3 === 0
    const marked = Map.groupBy(this.#messages.filter(isMarked), (one) => one.folder)
    const uids = new Map([...marked].map(([name, there]) => [name, [...there.map(({ uid }) => uid), 4_000]]))
    assertAmong(numbersOf(index.folders, uids), ({ messages }) => messages.some(isMarked))
    const judgementOf = ({ uid }: { uid: number }) => 1 + (uid % 2)
    judgeBy(index.folders, 'rule')
    for (const { message } of index.newestJudged({}, 0)) judge(index.folders, 'rule', message, judgementOf(message))
    for (const judgement of [0, 1, 2]) {
      const numbers = index.newestJudged({}, judgement).map(({ number }) => number)
      const newest = ({ messages }: ExpectedWholeConversation) => messages.at(-1) as PlacedMessage
      assertAmong(new Set(numbers), (one) => judgementOf(newest(one)) === judgement)
    }
  }

  #append(name: Name, messages: readonly Omit<FiledMessage, 'uid'>[]): void {
    const first = this.#nextUid.get(name) ?? 1
    const placed = messages.map(({ number = ++this.#lastNumber, ...one }, at) => {
      return { ...one, number, folder: name, uid: first + at }
    })
    this.#nextUid.set(name, first + placed.length)
    this.#messages.push(...placed)
    const rows = placed.map((one) => ({
      ...one,
      ids: threadIds(readHeaders(Buffer.from(`${one.headers}\r\n`)).headers),
    }))
    this.#indexes.get(name)?.apply(threadStep(key, { appended: rows }))
  }

  #message({ folder, uid }: { folder: string; uid: number }): PlacedMessage {
    const message = this.#messages.find((one) => one.folder === folder && one.uid === uid)
    assert.ok(message)
    return message
  }
}

function newestFirst(a: PlacedMessage, b: PlacedMessage): number {
  return b.receivedAt - a.receivedAt || (a.folder === b.folder ? b.uid - a.uid : a.folder < b.folder ? 1 : -1)
}

function assertSame(found: WholeConversation | undefined, expected: ExpectedWholeConversation): void {
  assert.deepEqual(found && shown(found), asShown(expected))
}

function shown({ root, messages, unread, lastReceivedAt, participants }: WholeConversation) {
  return { root, messages, unread, lastReceivedAt, participants }
}

function asShown({ roots, messages, unread, lastReceivedAt, participants }: ExpectedWholeConversation) {
  const [root] = roots.map((id) => idHash(key, id)).sort((a, b) => a.compare(b))
  return {
    root,
    messages: messages.map(({ folder, uid, number }) => ({ folder, uid, number })),
    unread,
    lastReceivedAt,
    participants,
  }
}

function idOf({ root }: { root?: Buffer | undefined }): string | undefined {
  return root?.toString('hex')
}
