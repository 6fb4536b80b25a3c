import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { appendMessages } from '#/adapters/mail-host/imap/changing/append.ts'
import { move } from '#/adapters/mail-host/imap/changing/change.ts'
import { CommandRefused } from '#/adapters/mail-host/imap/client/errors.ts'
import { mailbox, pathOf } from '#/adapters/mail-host/imap/client/mailbox-name.ts'
import { ImapSession } from '#/adapters/mail-host/imap/client/session.ts'
import { Layout } from '#/adapters/mail-host/imap/folders/layout.ts'
import { Refusal } from '#/errors.ts'
import { folderName, readsAsItself } from '#/messages/folders/folder-name.ts'
import { DovecotServer } from '#test/peers/dovecot/imap-server.ts'

const message = {
  ...{ raw: Buffer.from('Subject: x\r\n\r\n'), messageId: null, receivedAt: new Date(0) },
  ...{ seen: false, flagged: false, keywords: [], filteredBy: [] },
}

const hostile = [
  ...['"', '\\', 'a"b', 'a\\', '\\"', '" LOGOUT', "'", '`', '$HOME', '{5}', '{5+}', '(a)', '~a', ' a ', '  '],
  ...['&', '&-', '&&', 'a&b', '&AOk-', '&é&', '&AGE-', 'é', 'é', 'Entwürfe', '草稿', '😀', '👩‍👩‍👧/🗂', '\ud800'],
  ...['\r\n', 'a\r\nA1 LOGOUT', '\0', 'a\0b', '\x7f', '\x1b[2J', '\t', '\u200e', '\u2028'],
  ...[
    '%',
    '*',
    'a*',
    'Se%',
    'INBOX*',
    'inbox/x',
    'INBOX/x',
    'Inbox',
    '',
    '/',
    'a/',
    '/a',
    'a//b',
    'a/./b',
    '..',
    'NIL',
  ],
  ...['a'.repeat(255), 'é'.repeat(80), 'é'.repeat(400), 'a/'.repeat(30).slice(0, -1)],
]

const unit = fc.oneof(
  fc.constantFrom(...'"\\&-/.%*{}()~ \r\n\0'),
  fc.constantFrom('ü', '草', '😀', '&-', '&AOk-', '{3}\r\n', '\ud800', 'e\u0301'),
  fc.string({ maxLength: 3 }),
)

for (const [format, settings] of [
  ['mdbox', ''],
  ['maildir', ''],
  ['mdbox', 'namespace inbox {\n separator = .\n prefix = INBOX.\n}\n'],
] as const) {
  const own = settings ? { prefix: 'INBOX.', delimiter: '.' } : { prefix: '', delimiter: '/' }
  describe(`folders with any name, on a server with ${format}${settings && ' and names like INBOX.a.b'}`, () => {
    let dovecot: DovecotServer
    let session: ImapSession
    let layout: Layout
    before(async () => {
      dovecot = await DovecotServer.start(settings, format)
      session = await ImapSession.open(dovecot.server, 'ada')
      layout = await Layout.read(session)
    })
    after(async () => {
      session.connection.close()
      await dovecot[Symbol.asyncDispose]()
    })

    /** Stores a message in a folder that a mail program calls so, lists it, reads it and moves it. False where one of the two
     *  refuses. */
    async function isUsable(name: string): Promise<boolean> {
      try {
        // Refuses what is no single name, and what would break the server's responses.
        await layout.pathOf(session, name)
        const path = pathOf(name, own)
        if (path.toUpperCase() === 'INBOX') return true
        await appendMessages(session, path, [message])
        const listed = (await layout.statuses(session)).filter((one) => one.total > 0 && one.name !== 'inbox')
        const [called = ''] = listed.map((one) => one.name)
        assert.deepEqual(
          listed.map((one) => one.total),
          [1],
        )
        assert.equal(folderName(called), called)
        // Dovecot takes INBOX for itself in any case, above other folders too.
        const usual = path.startsWith('INBOX.') ? name : name.replace(/^inbox(?=\/)/i, 'INBOX')
        if (readsAsItself(usual)) assert.equal(called, usual)
        // Another process may have listed it.
        const other = await Layout.read(session)
        assert.equal(await other.pathOf(session, called), await layout.pathOf(session, called))
        assert.equal((await session.select(await other.pathOf(session, called)))?.exists, 1)
        assert.equal((await move(session, [1], 'INBOX')).uids.size, 1)
        await session.unselect()
        await session.connection.run([`DELETE ${mailbox(path)}`])
        return true
      } catch (error) {
        const refused =
          error instanceof CommandRefused || (error instanceof Refusal && error.code === 'invalid_request')
        if (!refused) throw error
        return false
      } finally {
        // The server has understood every command as one, and answered that one.
        await session.connection.run(['NOOP'])
      }
    }

    for (const name of hostile) {
      test(`${JSON.stringify(name).slice(0, 40)} is used as it is, or refused`, async () => void (await isUsable(name)))
    }

    test('what an organization may call a folder is used as it is', async () => {
      for (const name of ['"a" \\ b', 'Tom & Jerry', '&AOk-', 'Entwürfe/草稿', '😀', "{5} (x) 'y' `z` $w"]) {
        assert.ok(await isUsable(format === 'maildir' ? name.replace('/', ' ') : name), name)
      }
    })

    test('so is whatever else somebody makes up', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(unit, { minLength: 1, maxLength: 10 }), async (parts) => {
          await isUsable(parts.join(''))
        }),
        { numRuns: 150 },
      )
    })
  })
}
