import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { appendMessages } from '#/adapters/mail-host/imap/changing/append.ts'
import { ImapSession } from '#/adapters/mail-host/imap/client/session.ts'
import { withAttachments } from '#/adapters/mail-host/imap/reading/body-structure.ts'
import { readMessage } from '#/mime/message.ts'
import { DovecotServer } from '#test/peers/dovecot/imap-server.ts'

const corpus = join(import.meta.dirname, '../../../corpus')
const names = readdirSync(corpus).filter((name) => name.endsWith('.eml'))
/** Deeper nesting than we read. */
const deep = Buffer.concat([
  ...Array.from({ length: 150 }, (_, depth) =>
    Buffer.from(`Content-Type: multipart/mixed; boundary=b${depth}\r\n\r\n--b${depth}\r\n`),
  ),
  Buffer.from('Content-Type: application/pdf\r\n\r\nx\r\n'),
])

test('a server that tells the parts of real mail has the same attached to it as we, and no depth of them matters', async () => {
  await using dovecot = await DovecotServer.start()
  const session = await ImapSession.open(dovecot.server, 'ada')
  const raws = [deep, ...names.map((name) => readFileSync(join(corpus, name)))]
  const rest = { messageId: null, receivedAt: new Date(0), seen: false, flagged: false, keywords: [], filteredBy: [] }
  await appendMessages(
    session,
    'INBOX',
    raws.map((raw) => ({ ...rest, raw })),
  )
  await session.select('INBOX')
  const found = await withAttachments(
    session,
    raws.map((_, index) => index + 1),
  )
  const expected = names.filter((_, index) => readMessage(raws[index + 1] ?? deep).hasAttachment)
  assert.deepEqual(
    names.filter((_, index) => found.has(index + 2)),
    expected,
  )
  assert.ok(expected.length > 3 && expected.length < names.length - 3)
  session.connection.close()
})
