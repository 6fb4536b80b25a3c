import assert from 'node:assert/strict'
import { readHeaders } from '#/formats/mime/header/headers.ts'
import { readMessage, sendersIn } from '#/formats/mime/read-message.ts'
import { copy, letter } from '#test/world/letters/letters.ts'
import { trials } from '#test/world/mail/trial.ts'
import { findFolder } from './folders.ts'
import type { UidRange } from './headings.ts'
import { readHeadings } from './headings.ts'

const testIt = await trials()

testIt('a range of messages is read with flags and headers', async ({ ada, db, append }) => {
  const header = {
    from: 'Ann <ann@x.example>',
    sender: 'bob@x.example',
    cc: 'cy@x.example',
    subject: '=?utf-8?q?Gr=C3=BC=C3=9Fe?=',
  }
  const received = { received: 'from a.example by b.example for <ada@run.test>; Sat, 21 Nov 2026 07:44:33 +0000' }
  await append(
    copy(ada),
    copy(ada, { message: readMessage(letter({ ...received, ...header })), flagged: true, keywords: ['work'] }),
    copy(ada, {
      message: readMessage(letter({ subject: 'Large' }, `${'x'.repeat(70)}\r\n`.repeat(30_000))),
      seen: true,
    }),
    copy(ada),
  )
  const range = { after: 1, last: 3, most: 10, wanted: 'header' } as const
  const { uidValidity, messages } = await readHeadings(db, ada, 'inbox', range)
  assert.equal(uidValidity, (await findFolder(db, ada, 'inbox')).id)
  assert.deepEqual(
    messages.map(({ header: _, senders: __, ...rest }) => rest),
    [
      { uid: 2, seen: false, flagged: true, keywords: ['work'], subject: 'Grüße' },
      { uid: 3, seen: true, flagged: false, keywords: [], subject: 'Large' },
    ],
  )
  const { headers } = readHeaders(messages[0]?.header ?? Buffer.alloc(0))
  for (const [name, value] of Object.entries({ ...received, ...header })) assert.equal(headers.last(name), value)
  const uidsOf = async (change: Partial<UidRange>) =>
    (await readHeadings(db, ada, 'inbox', { ...range, ...change })).messages.map(({ uid }) => uid)
  assert.deepEqual(await uidsOf({ after: 0, last: 4, most: 2 }), [1, 2])
  assert.deepEqual(await uidsOf({ after: 3, last: 9 }), [4])
  assert.deepEqual(await uidsOf({ after: 4, last: 4 }), [])
  const [bare] = (await readHeadings(db, ada, 'inbox', { ...range, wanted: 'subject' })).messages
  assert.equal(bare?.subject, 'Grüße')
})

testIt('everyone in From and Sender is read, with the header or without', async ({ ada, db, append }) => {
  const many = Array.from({ length: 40 }, (_, number) => `Ann ${number} <ann${number}@x.example>`)
  const written = [
    'From: Ann <ann@x.example>\r\n',
    'From: "Ann, of X" <ann@x.example>, bob@x.example\r\nSender: Cy <cy@x.example>\r\n',
    'From: ann@x.example\r\nFrom: =?utf-8?q?J=C3=B6rg?= <j@x.example>\r\n',
    'Sender: cy@x.example\r\n',
    'From: MAILER-DAEMON\r\n',
    `From: ${many.join(',\r\n ')}\r\n`,
    '',
  ].map((fields) => Buffer.from(`${fields}Subject: Hi\r\n\r\nHi\r\n`))
  await append(...written.map((raw) => copy(ada, { message: readMessage(raw) })))
  const range = { after: 0, last: 9, most: 10 }
  const inHeader = (header: Buffer) => sendersIn(readHeaders(header).headers)
  for (const wanted of ['senders', 'header'] as const) {
    const { messages } = await readHeadings(db, ada, 'inbox', { ...range, wanted })
    assert.deepEqual(
      messages.map(({ senders, header }) => senders ?? inHeader(header)),
      written.map(inHeader),
      wanted,
    )
  }
})
