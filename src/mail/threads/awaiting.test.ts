import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readHeaders } from '#/formats/mime/header/headers.ts'
import { whyUnanswerable } from '#/formats/mime/report/unanswerable.ts'
import { ownAddresses } from '#/mail/mailboxes/own-addresses.ts'
import { type Awaiting, awaiting, type LastMessage } from './awaiting.ts'

const own = 'ada@own.test'
const ours = ownAddresses([own, 'sales@own.test', 'no-reply@own.test'])

const cases: readonly (readonly [what: string, last: Partial<LastMessage>, header: string, expected: Awaiting])[] = [
  ['a stranger’s question in the inbox', {}, '', 'us'],
  ['one that was archived', { folder: 'archive' }, '', 'us'],
  ['our answer in Sent', { folder: 'sent', author: own }, '', 'them'],
  ['our answer under an alias, in Sent', { folder: 'sent', author: 'sales@own.test' }, '', 'them'],
  ['our answer that was archived', { folder: 'archive', author: own }, '', 'them'],
  ['our answer under an alias, archived', { folder: 'archive', author: 'sales@own.test' }, '', 'them'],
  ['our answer with a tag, archived', { folder: 'archive', author: 'sales+fair@own.test' }, '', 'them'],
  ['our answer under an alias as of a program', { folder: 'archive', author: 'no-reply@own.test' }, '', 'them'],
  ['a question of another mailbox of our domain', { author: 'bob@own.test' }, '', 'us'],
  ['a letter of a list', {}, 'List-Id: <notes.x.test>', null],
  ['bulk mail', {}, 'Precedence: bulk', null],
  ['first-class mail', {}, 'Precedence: first-class', 'us'],
  ['an automatic answer', {}, 'Auto-Submitted: auto-replied', null],
  ['a message that says it is none', {}, 'Auto-Submitted: no', 'us'],
  ['a report of non-delivery', {}, 'Content-Type: multipart/report; report-type=delivery-status', null],
  ['a report of an old server', { author: 'mailer-daemon@x.test' }, '', null],
  ['a message of an address that nobody reads', { author: 'no-reply@x.test' }, '', null],
  ['our own mail to a list', { folder: 'sent', author: own }, 'Precedence: list', null],
  ['a message without an author', { author: '' }, '', null],
]

for (const [what, last, header, expected] of cases)
  test(`after ${what}: ${expected ?? 'nobody'}`, () => {
    const { headers } = readHeaders(Buffer.from(`From: Ann <ann@x.test>\r\n${header}${header && '\r\n'}\r\n`))
    const automatic = whyUnanswerable(headers) !== undefined
    assert.equal(awaiting({ folder: 'inbox', author: 'ann@x.test', automatic, ...last }, ours), expected)
  })

test('moving between folders other than Sent changes nothing, and what is in Sent awaits nothing of us', () => {
  const folder = fc.constantFrom('inbox', 'archive', 'Projects')
  const author = fc.constantFrom('', own, 'ann@x.test', 'no-reply@x.test')
  fc.assert(
    fc.property(folder, folder, author, fc.boolean(), (from, to, author, automatic) => {
      assert.equal(
        awaiting({ folder: from, author, automatic }, ours),
        awaiting({ folder: to, author, automatic }, ours),
      )
      assert.ok(!automatic || awaiting({ folder: 'sent', author, automatic }, ours) === null)
      assert.notEqual(awaiting({ folder: 'sent', author, automatic }, ours), 'us')
    }),
  )
})
