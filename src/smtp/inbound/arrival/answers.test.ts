import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readMessage } from '#/formats/mime/read-message.ts'
import { letter } from '#test/world/letters/letter.ts'
import { deliveryReport } from '#test/world/letters/report.ts'
import { cancelledByAnswer } from './answers.ts'

const envelope = { sender: 'bob@there.example', receivedAt: new Date('2026-11-25T09:00:00Z') }
const answer = { 'In-Reply-To': '<1@here.example>' }

function copy(organizationId = 'o', mailboxId = 'm', folder = 'inbox') {
  return { mailbox: { organizationId, mailboxId }, folder }
}

interface Given {
  readonly text?: string
  readonly sender?: string
  readonly disposition?: 'none' | 'quarantine' | 'reject'
  readonly copies?: readonly ReturnType<typeof copy>[]
}

/** The organizations whose scheduled messages are looked at, and for whom. */
function looked({ text = letter(answer), sender, disposition = 'none', copies = [copy()] }: Given = {}) {
  const message = readMessage(Buffer.from(text))
  const from = { ...envelope, ...(sender !== undefined && { sender }) }
  return cancelledByAnswer(from, message, { disposition }, copies).map(({ order, mailboxId }) => [order, mailboxId])
}

const here = [['answered o', 'm']]
for (const [what, given, expected] of [
  ['an answer', {}, here],
  ['one that names what it answers in References', { text: letter({ References: '<1@here.example>' }) }, here],
  ['one that says that a person sent it', { text: letter({ ...answer, 'Auto-Submitted': 'no' }) }, here],
  ['one to a list', { text: letter({ ...answer, Precedence: 'list' }) }, here],
  [
    'one that names a report',
    { text: letter({ ...answer, 'Content-Type': 'text/plain; x="multipart/report"' }) },
    here,
  ],
  ['one of precedence not-bulk', { text: letter({ ...answer, Precedence: 'not-bulk' }) }, here],
  ['one of precedence bulky', { text: letter({ ...answer, Precedence: 'bulky' }) }, here],
  ['one that a filter has filed away', { copies: [copy('o', 'm', 'archive')] }, here],
  ['a message that answers nothing', { text: letter() }, []],
  ['one that its author’s domain has quarantined, wherever it is', { disposition: 'quarantine' }, []],
  ['one that its author’s domain has rejected', { disposition: 'reject' }, []],
  ['one in junk', { copies: [copy('o', 'm', 'junk')] }, []],
  ['one without an envelope sender', { sender: '' }, []],
  ['an automatic answer', { text: letter({ ...answer, 'Auto-Submitted': 'auto-replied' }) }, []],
  ['a report of non-delivery', { text: deliveryReport('failed', answer) }, []],
  ['a report as Exim writes it', { text: letter({ ...answer, 'X-Failed-Recipients': 'cy@there.example' }) }, []],
  ['a report of delivery', { text: deliveryReport('delivered', answer) }, []],
  ['an answer of a program of old', { text: letter({ ...answer, 'X-Autoreply': 'yes' }) }, []],
  ['one of precedence bulk', { text: letter({ ...answer, Precedence: 'bulk' }) }, []],
  ['one of precedence junk', { text: letter({ ...answer, Precedence: 'junk (all of it)' }) }, []],
  ['one of precedence auto_reply', { text: letter({ ...answer, Precedence: 'AUTO_REPLY' }) }, []],
] as const satisfies readonly (readonly [string, Given, readonly unknown[]])[])
  test(`${what} ${expected.length > 0 ? 'cancels' : 'cancels nothing'}`, () =>
    assert.deepEqual(looked(given), expected))

test('an answer cancels once in each organization that has it outside junk', () => {
  const copies = [copy('o', 'm'), copy('o', 'n'), copy('p', 'q', 'junk'), copy('r', 's', 'archive')]
  const orders = looked({ copies }).map(([order]) => order)
  assert.deepEqual(orders, ['answered o', 'answered r'])
})
