import assert from 'node:assert/strict'
import { test } from 'node:test'
import { searchByReading } from '#/adapters/mail-host/imap/reading/search.ts'
import { notFound } from '#/errors.ts'
import { noSuchFolder } from '#/mail/folder-names.ts'
import { MessageReader } from '#/mime/reader.ts'
import type { MailboxRef, MailHost } from '#/ports/mail-host.ts'
import type { SearchPlace } from '#/ports/search.ts'
import { parseQuery } from '#/search/query.ts'
import { ofFile } from '#test/of-file.ts'
import { World } from '#test/world/world.ts'
import { idOf, judged, type Made, make, messageOf, numbers, shouldFind } from './mail.ts'

const howMany = 130

const reader = ofFile(new MessageReader())
const world = await World.ofFile()
const organization = await world.organization()
const now = new Date(Math.floor(world.clock.now() / 1_000) * 1_000)
const mailboxes: MailboxRef[] = []
for (const name of ['ada', 'bob', 'eve']) {
  const { id } = await organization.mailbox(name)
  mailboxes.push({ organizationId: organization.id, mailboxId: id })
}
const all: Made[] = []
const random = numbers(23)
const copies = Array.from({ length: howMany }, (_, number) => {
  const { made, raw } = make(number, random, now)
  all.push(made)
  const { folder, receivedAt, seen, flagged } = made
  const mailbox = mailboxes[made.mailbox]
  assert.ok(mailbox)
  return { ...{ mailbox, folder, receivedAt, seen, flagged }, keywords: [], message: messageOf(raw), filteredBy: [] }
})
await world.db.transaction().execute((tx) => world.mailHost.append(tx, copies))

/** A host that leaves all filtering to the search. */
function parts() {
  const candidates = {
    async in(mailbox: MailboxRef, folder: string) {
      const { messages } = await world.mailHost.list(mailbox, folder, { limit: howMany, page: 0 })
      return messages.map(({ uid }) => uid)
    },
  }
  return { host: world.mailHost, candidates, reader }
}

for (const q of [
  'in:anywhere',
  'engine',
  'in:anywhere (京都 OR cafe) -is:read',
  'from:ann has:attachment',
  'older_than:10w newer_than:40w is:starred in:inbox',
  '"invoice naive" OR filename:pdf larger:500',
  'quotedword',
])
  for (const limit of [7, 100])
    test(`without an index ${q} finds the same, ${limit} at a time`, async () => {
      const { tree } = parseQuery(q)
      const expected = all
        .filter((made) => shouldFind(tree, judged(made), now) && (q.includes('in:') || made.folder !== 'junk'))
        .sort((a, b) => b.receivedAt.getTime() - a.receivedAt.getTime())
        .map(idOf)
      const found: (string | null)[] = []
      let after: SearchPlace | undefined
      do {
        const page = await searchByReading(parts(), mailboxes, { tree, now, limit, after })
        assert.ok(page.found.length === limit || page.partial || !page.next)
        found.push(...page.found.map(({ summary }) => summary.messageId))
        after = page.next
      } while (after)
      assert.deepEqual(found, expected)
    })

test('what is deleted while a search reads it is not found, and no error', async (t) => {
  t.mock.method(performance, 'now', () => 0)
  const { host, candidates, reader } = parts()
  const folderGone = async () => {
    throw noSuchFolder('archive')
  }
  const messageGone = async function* (): AsyncGenerator<Buffer> {
    yield* []
    throw notFound('message')
  }
  const { tree } = parseQuery('cafe OR is:starred')
  const expected = all.filter((made) => shouldFind(tree, judged(made), now))
  for (const [where, changed] of [
    ['before it is searched', { candidates: { in: goneIn('archive', candidates.in, folderGone) } }],
    [
      'before it is listed',
      { host: { ...reading(host), summaries: goneIn('archive', reading(host).summaries, folderGone) } },
    ],
    ['before it is read', { host: { ...reading(host), read: goneIn('archive', reading(host).read, folderGone) } }],
    [
      'while it is read',
      {
        host: {
          ...reading(host),
          read: async (mailbox: MailboxRef, folder: string, uid: number) => {
            const stored = await host.read(mailbox, folder, uid)
            return stored && folder === 'archive' ? { ...stored, pieces: messageGone } : stored
          },
        },
      },
    ],
  ] as const) {
    const page = await searchByReading({ host, candidates, reader, ...changed }, mailboxes, { tree, now, limit: 200 })
    assert.deepEqual(
      page.found.map(({ summary }) => summary.messageId).sort(),
      expected
        .filter(({ folder }) => folder !== 'archive' && folder !== 'junk')
        .map(idOf)
        .sort(),
      where,
    )
  }
})

test('without an index what is found of a large message holds no more than is shown of it', async () => {
  const organization = await world.organization()
  const mailbox = { organizationId: organization.id, mailboxId: (await organization.mailbox('max')).id }
  const message = messageOf(Buffer.from(`Subject: Large\r\n\r\nThe engine. ${'x '.repeat(1_500_000)}`))
  const marks = { receivedAt: now, seen: false, flagged: false, keywords: [], filteredBy: [] }
  await world.db
    .transaction()
    .execute((tx) => world.mailHost.append(tx, [{ mailbox, folder: 'inbox', message, ...marks }]))
  for (const q of ['engine', 'is:unread']) {
    const { found } = await searchByReading(parts(), [mailbox], { tree: parseQuery(q).tree, now, limit: 10 })
    assert.deepEqual([found.length, found.map(({ beginning }) => beginning.buffer.byteLength)], [1, [64 * 1024]], q)
  }
})

/** The methods that a search calls. */
function reading(host: MailHost): Pick<MailHost, 'folders' | 'summaries' | 'read'> {
  return {
    folders: (...given) => host.folders(...given),
    summaries: (...given) => host.summaries(...given),
    read: (...given) => host.read(...given),
  }
}

/** The same, except in one folder. */
function goneIn<A extends readonly [MailboxRef, string, ...unknown[]], T>(
  gone: string,
  work: (...given: A) => Promise<T>,
  instead: () => Promise<T>,
): (...given: A) => Promise<T> {
  return (...given) => (given[1] === gone ? instead() : work(...given))
}

test('without an index a search that takes long answers what it has found, and says so', async (t) => {
  const { tree } = parseQuery('in:anywhere -is:starred')
  const expected = all.filter((made) => !made.flagged).length
  // Each look at the clock is a second later than the one before.
  let now = 0
  t.mock.method(performance, 'now', () => (now += 1_000))
  let [pages, found] = [0, 0]
  for (let after: SearchPlace | undefined; ; pages++) {
    const page = await searchByReading(parts(), mailboxes, { tree, now: new Date(), limit: 100, after })
    found += page.found.length
    after = page.next
    if (!after) break
    assert.deepEqual([page.partial, page.found.length < 100], [true, true])
  }
  assert.equal(found, expected)
  assert.ok(pages > 20, `${pages}`)
})
