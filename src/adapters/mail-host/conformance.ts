import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Tx } from '#/db/schema.ts'
import { Refusal } from '#/errors.ts'
import { readMessage } from '#/mime/message.ts'
import type { Copy, ListQuery, MailboxRef, MailHost } from '#/ports/mail-host.ts'
import { followsEveryHistory } from './conformance-history.ts'

/** A mail host to try, and what a test of it needs around it. */
export interface Bench extends AsyncDisposable {
  readonly host: MailHost
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** New mailboxes that `open` has readied: two of one organization, one of another. */
  mailboxes(): Promise<{ ada: MailboxRef; bob: MailboxRef; stranger: MailboxRef }>
}

export const folders = ['inbox', 'drafts', 'sent', 'archive', 'junk', 'trash']

/** What every mail host does, whatever it keeps mail in. */
export function mailHostConformance(name: string, start: () => Promise<Bench>): void {
  describe(name, () => {
    let bench: Bench
    let host: MailHost
    let ada: MailboxRef
    let bob: MailboxRef
    let stranger: MailboxRef
    before(async () => {
      bench = await start()
      host = bench.host
    })
    after(() => bench[Symbol.asyncDispose]())

    const append = (...copies: Copy[]) => bench.transaction((tx) => host.append(tx, copies))
    const inEmptyMailboxes = (what: string, work: () => Promise<void>) =>
      test(what, async () => {
        ;({ ada, bob, stranger } = await bench.mailboxes())
        await work()
      })
    const uids = async (folder: string, query: Partial<ListQuery> = {}) => {
      const { total, messages } = await host.list(ada, folder, { limit: 100, page: 0, ...query })
      assert.equal(total, messages.length)
      return messages.map(({ uid }) => uid)
    }

    test('answers a ping', () => host.ping())

    inEmptyMailboxes('a new mailbox has the six folders, all empty', async () => {
      assert.deepEqual(
        await host.folders(ada),
        folders.map((name) => ({ name, total: 0, unread: 0 })),
      )
      for (const folder of folders) {
        assert.deepEqual(await host.list(ada, folder, { limit: 25, page: 0 }), { total: 0, messages: [] })
      }
    })

    inEmptyMailboxes('a message is read as it was stored, byte for byte', async () => {
      const filteredBy = [{ filter_id: 'f', name: 'Work', action: 'label', argument: 'work' }]
      const raw = letter({ subject: 'Notes' }, 'Dear Bob,\r\n\xff\x00')
      const message = readMessage(raw)
      await append(copy(ada, { message, flagged: true, keywords: ['work'], receivedAt: second(1), filteredBy }))
      const stored = await host.read(ada, 'inbox', 1)
      assert.deepEqual(stored, {
        raw,
        filteredBy,
        summary: {
          uid: 1,
          folder: 'inbox',
          messageId: message.messageId,
          threadRoot: message.messageId,
          subject: 'Notes',
          from: { name: 'Ada', address: 'Ada@example.test' },
          to: [{ name: '', address: 'bob@example.test' }],
          receivedAt: second(1),
          seen: false,
          flagged: true,
          keywords: ['work'],
          hasAttachment: false,
          preview: message.preview,
          sizeBytes: raw.length,
        },
      })
      assert.deepEqual(await host.summaries(ada, 'inbox', [1]), [stored?.summary])
      assert.deepEqual((await host.list(ada, 'inbox', { limit: 1, page: 0 })).messages, [stored?.summary])
    })

    inEmptyMailboxes('a message of three megabytes is read whole', async () => {
      const raw = Buffer.concat([letter({}), Buffer.alloc(3 << 20, 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcde\r\n')])
      await append(copy(ada, { message: readMessage(raw) }))
      assert.ok((await host.read(ada, 'inbox', 1))?.raw.equals(raw))
    })

    inEmptyMailboxes('whatever its header holds, a message is stored, and so are those stored with it', async () => {
      const odd = 'a\0b\ud800c\udfffd"\\u0000{}\'\u202e'
      const from = { name: odd, address: odd }
      const ids = { messageId: odd, threadRoot: odd, strong: [odd], weak: [odd] }
      const message = {
        ...readMessage(letter({})),
        ...ids,
        subject: odd,
        preview: odd,
        from,
        to: Array(500).fill(from),
      }
      await append(copy(ada), copy(ada, { message }), copy(ada, { message: readMessage(Buffer.alloc(0)) }))
      const [, second, third] = await host.summaries(ada, 'inbox', [1, 2, 3])
      assert.match(second?.subject ?? '', /^a.?b.?c.?d"\\u0000\{\}'\u202e$/s)
      assert.equal(second?.to.length, 100)
      assert.deepEqual([third?.subject, third?.from, third?.to, third?.sizeBytes], ['', null, [], 0])
    })

    inEmptyMailboxes('a folder that lacks is made by the first message to it', async () => {
      await append(copy(ada, { folder: 'Projects/Apollo' }), copy(ada, { folder: 'Projects/Apollo', seen: true }))
      const names = (await host.folders(ada)).map(({ name }) => name)
      assert.deepEqual(names, [...folders, 'Projects/Apollo'])
      assert.deepEqual((await host.folders(ada)).at(-1), { name: 'Projects/Apollo', total: 2, unread: 1 })
    })

    inEmptyMailboxes('many copies to many folders are stored at once, each folder numbering its own', async () => {
      const message = readMessage(letter({}))
      const targets = [ada, bob, stranger].flatMap((mailbox) =>
        ['inbox', 'junk', 'New'].map((folder) => ({ mailbox, folder })),
      )
      await append(
        ...Array.from({ length: 20 }, () => targets)
          .flat()
          .map((where) => copy(where.mailbox, { ...where, message })),
      )
      for (const { mailbox, folder } of targets) {
        const found = await host.summaries(
          mailbox,
          folder,
          Array.from({ length: 30 }, (_, index) => index),
        )
        assert.deepEqual(
          found.map(({ uid }) => uid),
          Array.from({ length: 20 }, (_, index) => index + 1),
        )
      }
    })

    inEmptyMailboxes('what is stored in a transaction that fails is not there', async () => {
      const failing = bench.transaction(async (tx) => {
        await host.append(tx, [copy(ada), copy(ada, { folder: 'New' })])
        throw new Error('not today')
      })
      await assert.rejects(failing, /not today/)
      assert.deepEqual(await uids('inbox'), [])
      assert.equal((await host.folders(ada)).length, folders.length)
      assert.equal(await host.storageUsed(ada.organizationId), 0)
    })

    inEmptyMailboxes('lists come newest received first, equal dates by uid, in pages that miss nothing', async () => {
      await append(...[3, 1, 2, 3, 1].map((at) => copy(ada, { receivedAt: second(at) })))
      assert.deepEqual(await uids('inbox'), [4, 1, 3, 5, 2])
      const pages = await Promise.all([0, 1, 2, 3].map((page) => host.list(ada, 'inbox', { limit: 2, page })))
      assert.deepEqual(
        pages.map(({ messages }) => messages.map(({ uid }) => uid)),
        [[4, 1], [3, 5], [2], []],
      )
      assert.ok(pages.every(({ total }) => total === 5))
    })

    for (const [what, query, expected] of [
      ['the unread', { unread: true }, [4, 2]],
      ['the read', { unread: false }, [3, 1]],
      ['those with a keyword', { keyword: 'work' }, [4, 3]],
      ['those with a keyword, whatever its case', { keyword: 'WORK' }, [4, 3]],
      ['the unread with a keyword', { keyword: 'work', unread: true }, [4]],
      ['the read with a keyword', { keyword: 'work', unread: false }, [3]],
      ['none where no message has the keyword', { keyword: 'wor' }, []],
    ] as const) {
      inEmptyMailboxes(`a list can hold ${what} alone`, async () => {
        await append(
          copy(ada, { seen: true }),
          copy(ada, { keywords: ['other'] }),
          copy(ada, { seen: true, keywords: ['work'] }),
          copy(ada, { keywords: ['Other', 'Work'] }),
        )
        assert.deepEqual(await uids('inbox', query), expected)
      })
    }

    inEmptyMailboxes('summaries are of the uids that are there, in ascending order', async () => {
      await append(copy(ada), copy(ada), copy(ada))
      const found = await host.summaries(ada, 'inbox', [3, 9, 1, 3])
      assert.deepEqual(
        found.map(({ uid }) => uid),
        [1, 3],
      )
      assert.equal(await host.read(ada, 'inbox', 9), undefined)
    })

    inEmptyMailboxes('flags and keywords change on the messages named, and nowhere else', async () => {
      await append(copy(ada, { keywords: ['old'] }), copy(ada, { seen: true }), copy(ada))
      const change = { seen: true, flagged: true, addKeywords: ['Work', 'work', 'a'], removeKeywords: ['OLD'] }
      const places = await host.update(ada, 'inbox', [2, 1, 7], change)
      assert.deepEqual(
        [...places],
        [1, 2].map((uid) => [uid, { folder: 'inbox', uid }]),
      )
      const after = (await host.summaries(ada, 'inbox', [1, 2, 3])).map(({ seen, flagged, keywords }) => {
        return [seen, flagged, ...keywords]
      })
      assert.deepEqual(after, [
        [true, true, 'a', 'work'],
        [true, true, 'a', 'work'],
        [false, false],
      ])
      assert.deepEqual(await uids('inbox', { keyword: 'work' }), [2, 1])
      assert.deepEqual(await uids('inbox', { keyword: 'old' }), [])
      assert.deepEqual((await host.folders(ada))[0], { name: 'inbox', total: 3, unread: 1 })
    })

    inEmptyMailboxes('a keyword that no IMAP server would keep changes nothing', async () => {
      await append(copy(ada))
      for (const keyword of ['', 'two words', 'naïve', 'a(b', 'x"', '\\Seen', 'line\r\n', 'k'.repeat(51)]) {
        await assert.rejects(
          host.update(ada, 'inbox', [1], { seen: true, addKeywords: [keyword] }),
          refusal('keywords'),
        )
      }
      assert.equal((await host.summaries(ada, 'inbox', [1]))[0]?.seen, false)
    })

    inEmptyMailboxes('a moved message keeps all but its uid', async () => {
      await append(...[1, 2, 3].map((at) => copy(ada, { receivedAt: second(at), keywords: ['work'], flagged: true })))
      await append(copy(ada, { folder: 'archive' }))
      const before = await host.read(ada, 'inbox', 3)
      const places = await host.update(ada, 'inbox', [3, 1], { folder: 'archive', seen: true })
      assert.deepEqual(
        [...places],
        [
          [1, { folder: 'archive', uid: 2 }],
          [3, { folder: 'archive', uid: 3 }],
        ],
      )
      const after = await host.read(ada, 'archive', 3)
      assert.deepEqual(after, { ...before, summary: { ...before?.summary, folder: 'archive', uid: 3, seen: true } })
      assert.deepEqual(await uids('inbox'), [2])
      assert.deepEqual(await uids('inbox', { keyword: 'work' }), [2])
      assert.deepEqual(await uids('archive', { keyword: 'work' }), [3, 2])
      assert.deepEqual(await uids('archive', { unread: true }), [1])
    })

    inEmptyMailboxes('moving makes the folder that lacks, if there is something to move', async () => {
      await append(copy(ada))
      assert.equal((await host.update(ada, 'inbox', [2], { folder: 'Later' })).size, 0)
      assert.equal((await host.folders(ada)).length, folders.length)
      assert.deepEqual((await host.update(ada, 'inbox', [1], { folder: 'Later' })).get(1), { folder: 'Later', uid: 1 })
      assert.deepEqual((await host.update(ada, 'Later', [1], { folder: 'Later' })).get(1), { folder: 'Later', uid: 1 })
    })

    inEmptyMailboxes('a uid is never given twice in a folder', async () => {
      await append(copy(ada), copy(ada))
      await host.expunge(ada, 'inbox', [2])
      await append(copy(ada))
      await host.update(ada, 'inbox', [3], { folder: 'trash' })
      await append(copy(ada))
      assert.deepEqual(await uids('inbox'), [4, 1])
    })

    inEmptyMailboxes('an expunged message is gone, others stay', async () => {
      await append(copy(ada, { keywords: ['work'] }), copy(ada, { keywords: ['work'] }))
      assert.deepEqual(await host.expunge(ada, 'inbox', [9, 1]), [1])
      assert.deepEqual(await host.expunge(ada, 'inbox', [1]), [])
      assert.deepEqual(await uids('inbox', { keyword: 'work' }), [2])
      assert.equal(await host.read(ada, 'inbox', 1), undefined)
    })

    inEmptyMailboxes('storage counts every copy until it is expunged', async () => {
      const message = readMessage(letter({}, 'x'.repeat(5_000)))
      const size = message.raw.length
      await append(copy(ada, { message }), copy(bob, { message }), copy(stranger, { message }))
      await host.update(ada, 'inbox', [1], { folder: 'trash', seen: true })
      assert.equal(await host.storageUsed(ada.organizationId), 2 * size)
      assert.equal(await host.storageUsed(stranger.organizationId), size)
      assert.deepEqual(
        await host.storageOf([ada, stranger]),
        new Map([
          [ada.mailboxId, size],
          [stranger.mailboxId, size],
        ]),
      )
      await host.expunge(ada, 'trash', [1])
      assert.equal(await host.storageUsed(ada.organizationId), size)
      assert.ok((await host.read(bob, 'inbox', 1))?.raw.equals(message.raw))
      assert.equal((await host.storageOf([ada])).get(ada.mailboxId) ?? 0, 0)
    })

    const onFolder: [string, (mailbox: MailboxRef, folder: string) => Promise<unknown>][] = [
      ['list', (mailbox, folder) => host.list(mailbox, folder, { limit: 1, page: 0 })],
      ['summaries', (mailbox, folder) => host.summaries(mailbox, folder, [1])],
      ['read', (mailbox, folder) => host.read(mailbox, folder, 1)],
      ['update', (mailbox, folder) => host.update(mailbox, folder, [1], { seen: true })],
      ['move', (mailbox, folder) => host.update(mailbox, folder, [1], { folder: 'trash' })],
      ['expunge', (mailbox, folder) => host.expunge(mailbox, folder, [1])],
      ['changes', (mailbox, folder) => host.changes(mailbox, folder, undefined)],
    ]
    for (const [what, act] of onFolder) {
      inEmptyMailboxes(`${what} refuses a folder that is not there`, async () => {
        await assert.rejects(act(ada, 'Nowhere'), refusal('folder'))
      })
      inEmptyMailboxes(`${what} cannot reach into another organization`, async () => {
        await append(copy(stranger))
        const disguised = { ...stranger, organizationId: ada.organizationId }
        await assert.rejects(act(disguised, 'inbox'), (error) => error instanceof Refusal && error.code === 'not_found')
        assert.deepEqual((await host.folders(stranger))[0], { name: 'inbox', total: 1, unread: 1 })
        assert.deepEqual(await host.folders(disguised), [])
      })
    }

    inEmptyMailboxes('no copy is stored in a mailbox of another organization', async () => {
      const disguised = { ...stranger, organizationId: ada.organizationId }
      await assert.rejects(append(copy(ada), copy(disguised)), (error) => error instanceof Refusal)
      assert.deepEqual(await uids('inbox'), [])
      assert.equal((await host.folders(stranger))[0]?.total, 0)
    })

    inEmptyMailboxes(
      'appends, moves, changes and expunges at once neither wait for each other in a circle nor lose anything',
      async () => {
        const boxes = [ada, bob, stranger]
        await append(...boxes.flatMap((mailbox) => Array.from({ length: 20 }, () => copy(mailbox))))
        const work = Array.from({ length: 24 }, (_, turn) => {
          const mailbox = boxes[turn % 3] ?? ada
          const [from, to] = turn % 2 ? ['inbox', 'archive'] : ['archive', 'inbox']
          const some = Array.from({ length: 10 }, (_, index) => ((index + turn) % 20) + 1)
          return [
            append(
              ...boxes.toReversed().map((box) => copy(box)),
              ...boxes.map((box) => copy(box, { folder: `New ${turn % 4}` })),
            ),
            host.update(mailbox, from, some, { folder: to, flagged: true }),
            host.update(mailbox, 'inbox', some, { seen: turn % 2 === 0, addKeywords: [`k${turn % 3}`] }),
            host.expunge(mailbox, 'archive', some.slice(8)),
          ]
        })
        const expunged = (await Promise.all(work.flat())).filter((result) => Array.isArray(result)).flat().length
        let total = 0
        for (const box of boxes) {
          for (const folder of await host.folders(box)) {
            const { messages } = await host.list(box, folder.name, { limit: 1_000, page: 0 })
            assert.equal(new Set(messages.map(({ uid }) => uid)).size, folder.total)
            assert.equal(messages.filter(({ seen }) => !seen).length, folder.unread)
            total += folder.total
          }
        }
        assert.equal(total, 60 + 24 * 6 - expunged)
      },
    )

    followsEveryHistory(() => bench)
  })
}

/** A message with these header fields; the body is taken as one octet a character. */
export function letter(fields: Record<string, string>, body = 'Dear Bob\r\n'): Buffer {
  letters += 1
  const header = {
    from: 'Ada <Ada@example.test>',
    to: 'bob@example.test',
    subject: `Letter ${letters}`,
    'message-id': `<${letters}@example.test>`,
    ...fields,
  }
  const lines = Object.entries(header).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`${lines.join('')}\r\n${body}`, 'latin1')
}

let letters = 0

export function copy(mailbox: MailboxRef, change: Partial<Copy> = {}): Copy {
  return {
    mailbox,
    folder: 'inbox',
    message: change.message ?? readMessage(letter({})),
    receivedAt: second(0),
    seen: false,
    flagged: false,
    keywords: [],
    filteredBy: [],
    ...change,
  }
}

function second(at: number): Date {
  return new Date(Date.UTC(2026, 10, 21, 12, 0, at, 5))
}

function refusal(field: string): (error: unknown) => boolean {
  return (error) => error instanceof Refusal && error.code === 'invalid_request' && error.field === field
}
