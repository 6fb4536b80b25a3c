import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { attachmentBytes, readContent } from '#/formats/mime/body/content.ts'
import { readMessage } from '#/formats/mime/read-message.ts'
import type { Outgoing } from '#/out/sending/outgoing.ts'
import { each } from '#test/world/each.ts'
import { outgoing } from '#test/world/letters/outgoing.ts'
import { compose } from './compose.ts'
import { fieldLines } from './extra-fields.ts'

const identity = { messageId: '<1@example.com>', date: new Date('2026-11-21T07:44:33Z') }

async function composed(change: Partial<Outgoing>): Promise<string> {
  return (await compose({ ...outgoing, ...change }, identity)).toString('latin1')
}

test('a plain message is plain', async () => {
  const [header = '', ...body] = (await composed({})).split('\r\n\r\n')
  assert.deepEqual(body, ['Hello Bob\r\n'])
  assert.deepEqual(header.split('\r\n').sort(), [
    ...['Content-Transfer-Encoding: 7bit', 'Content-Type: text/plain; charset=utf-8'],
    ...['Date: Sat, 21 Nov 2026 07:44:33 +0000', 'From: Ada <ada@example.com>', 'MIME-Version: 1.0'],
    ...['Message-ID: <1@example.com>', 'Subject: Hello', 'To: bob@example.com'],
  ])
})

test('fields of the sender are folded, encoded where they must be, and read as they were given', async () => {
  const values = [
    ...['spring', 'é'.repeat(400), '🙂'.repeat(300), 'word '.repeat(199).trim(), 'two  spaces', 'x'.repeat(998)],
    ...[`short ${'x'.repeat(950)}`, '=?utf-8?Q?not_a_word?=', '<https://example.com/u>, <mailto:u@example.com>'],
  ]
  const raw = await composed({ headers: values.map((value) => ({ name: 'X-Any', value })) })
  const { headers } = readMessage(Buffer.from(raw, 'latin1'))
  const written = headers.fields.filter(({ name }) => name === 'x-any').map((field) => headers.textOf(field))
  assert.deepEqual(written, values)
  const lines = raw.slice(0, raw.indexOf('\r\n\r\n')).split('\r\n')
  for (const line of lines) assert.ok(/^[\x20-\x7e]{1,90}$/.test(line) && line.trim() !== '', line)
})

for (const [what, name, value, lines] of [
  ['of several words that fits a line is not folded', 'X-Any', 'three short words', 1],
  ['of 76 characters with its name is not folded', 'X-Any', `${'a'.repeat(60)} ${'b'.repeat(8)}`, 1],
  ['of 77 characters with its name is folded', 'X-Any', `${'a'.repeat(60)} ${'b'.repeat(9)}`, 2],
  ['is folded before the word that does not fit', 'X', 'word '.repeat(16).trim(), 2],
  ['that is one long word is not folded', 'X-Any', 'x'.repeat(100), 1],
] as const)
  test(`a field ${what}`, () => {
    const written = fieldLines([{ name, value }]).toString()
    assert.equal(written.replaceAll('\r\n ', ' '), `${name}: ${value}\r\n`)
    assert.equal(written.split('\r\n').length - 1, lines, written)
  })

test('nobody learns who is in Bcc', async () => {
  const hidden = { bcc: [{ name: 'Eve', address: 'eve@example.com' }] }
  assert.doesNotMatch(await composed(hidden), /eve|bcc/i)
})

test('a reply that names no References continues what it replies to', async () => {
  assert.match(await composed({ inReplyTo: ['<a@x>'] }), /^References: <a@x>\r$/m)
  assert.match(await composed({ inReplyTo: ['<b@x>'], references: ['<a@x>', '<b@x>'] }), /^References: <a@x> <b@x>\r$/m)
})

test('an internationalised domain goes into its ASCII form, unless the local part needs SMTPUTF8 anyway', async () => {
  const to = ['ann@bücher.example', 'zoë@bücher.example'].map((address) => ({ name: 'Zoë', address }))
  const raw = await compose({ ...outgoing, to }, identity)
  assert.deepEqual(each(readMessage(raw).to, 'address'), ['ann@xn--bcher-kva.example', 'zoë@bücher.example'])
})

test('pictures that the HTML shows stand beside it, and files are attached', async () => {
  const attachments = [
    { filename: 'logo.png', content: Buffer.from('png'), contentType: null, contentId: 'logo' },
    { filename: 'Übersicht.pdf', content: Buffer.from('pdf'), contentType: 'application/pdf', contentId: null },
    { filename: 'plan.pdf', content: Buffer.from('pdf'), contentType: null, contentId: 'plan' },
  ]
  const raw = await compose({ ...outgoing, html: '<img src="cid:logo">', attachments }, identity)
  const { text, html, attachments: read } = readContent(raw)
  assert.deepEqual([text, html], ['Hello Bob', '<img src="cid:logo">'])
  assert.deepEqual(each(read, 'filename', 'content_type', 'inline'), [
    ['logo.png', 'image/png', true],
    ['plan.pdf', 'application/pdf', false],
    ['Übersicht.pdf', 'application/pdf', false],
  ])
  assert.equal(raw.toString('latin1').match(/^Content-Disposition: inline/gm)?.length, 1)
})

for (const [what, subject] of [
  ['of 998 characters without a space', 'x'.repeat(998)],
  ['that looks like an encoded word', '=?utf-8?Q?not_a_word?='],
  ['with outer and double spaces', '  two  words '],
] as const)
  test(`a subject ${what} is read as it was given`, async () =>
    assert.equal(readMessage(Buffer.from(await composed({ subject }), 'latin1')).subject, subject))

for (const [what, name] of [
  ['of 900 characters without a space', 'x'.repeat(900)],
  ['of 900 characters that must be escaped', '("'.repeat(450)],
  ['that looks like an encoded word', '=?utf-8?Q?not_a_word?='],
  ['of several words', 'Ann Lee'],
  ['with a comma', 'Lee, Ann'],
] as const)
  test(`a name ${what} is read as it was given`, async () => {
    const address = { name, address: 'ann@example.com' }
    const all = { from: address, to: [address, address], cc: [address], replyTo: [address] }
    const raw = await compose({ ...outgoing, ...all }, identity)
    const { from, to, cc } = readMessage(raw)
    assert.deepEqual([from, ...to, ...cc], [address, address, address, address])
    assert.doesNotMatch(raw.toString('latin1'), /[^\r\n]{999}/)
  })

for (const [what, content, encoding] of [
  ['in lines of ASCII', 'Subject: Hi\r\n\r\nHi\r\n', '7bit'],
  ['without a last line break', 'Subject: Hi\r\n\r\nHi', '7bit'],
  ['with a line of 998 octets', `${'x'.repeat(998)}\r\n`, '7bit'],
  ['with a line of 999 octets', `${'x'.repeat(999)}\r\n`, 'base64'],
  ['with lines that end with LF', 'Subject: Hi\n\nHi\n', 'base64'],
  ['with a lone CR', 'Subject: Hi\r\n\r\nH\ri', 'base64'],
  ['with 8-bit octets', 'Subject: ü\r\n\r\nü', 'base64'],
] as const)
  test(`an attached message ${what} keeps its type and its octets, as ${encoding}`, async () => {
    const old = { filename: 'old.eml', content: Buffer.from(content), contentType: null, contentId: null }
    const raw = await compose({ ...outgoing, attachments: [old] }, identity)
    const [attached] = readContent(raw).attachments
    assert.deepEqual([attached?.filename, attached?.content_type], ['old.eml', 'message/rfc822'])
    assert.equal(String(attachmentBytes(raw, attached?.id ?? '')?.bytes), content)
    assert.match(raw.toString('latin1'), new RegExp(`Content-Transfer-Encoding: ${encoding}\r\n`))
  })

const line = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.string({ unit: 'grapheme-ascii', minLength: 990 }),
)
const odd = fc.constantFrom('.', 'From x', ' ', 'y'.repeat(2_000), '--', '=3D', '\t')
const text = fc
  .array(fc.oneof(line, odd), { maxLength: 6 })
  .chain((lines) => fc.constantFrom('\n', '\r\n', '\r').map((end) => lines.join(end)))

/** White space of any kind and length is one space in a header. */
const folded = (text: string) => text.trim().replace(/\s+/g, ' ')

test('whatever is sent is read again as it was, in lines that SMTP takes', async () => {
  await fc.assert(
    fc.asyncProperty(text, text, line, fc.uint8Array(), async (plain, html, subject, octets) => {
      const content = Buffer.from(octets)
      const attachments = [{ filename: 'a.bin', content, contentType: null, contentId: null }]
      const raw = await compose({ ...outgoing, subject, text: plain, html: `<p>${html}`, attachments }, identity)
      const written = raw.toString('latin1')
      assert.doesNotMatch(written, /\r(?!\n)|(?<!\r)\n|[^\r\n]{999}|[\0\x80-\xff]/)
      const read = readContent(raw)
      if (plain !== '') assert.equal(read.text?.trimEnd(), plain.replace(/\r\n?/g, '\n').trimEnd())
      assert.equal(read.attachments[0]?.size_bytes, content.length)
      assert.equal(folded(readMessage(raw).subject), folded(subject))
    }),
    { numRuns: 200 },
  )
})

test('the text of a header field never makes another one', async () => {
  const pieces =
    '\r|\n|\0|\u2028|\u0085|\u202e|:|<|>|"|\\|,|;|(|)| |Bcc: eve@x|=?|?=|=?utf-8?Q?=0D=0ABcc:_eve@x?=|--|😀'
  const hostile = fc.array(fc.constantFrom(...pieces.split('|'), 'long '.repeat(40))).map((parts) => parts.join(''))
  const namesIn = (head = '') => head.split(/\r\n(?![ \t])/).map((field) => field.slice(0, field.indexOf(':')))
  const known = new Set([
    ...['From', 'To', 'Cc', 'Reply-To', 'Subject', 'In-Reply-To', 'References', 'Message-ID', 'Date', 'MIME-Version'],
    ...['Type', 'Transfer-Encoding', 'Disposition', 'ID'].map((end) => `Content-${end}`),
  ])
  await fc.assert(
    fc.asyncProperty(hostile, async (text) => {
      const one = { name: text, address: 'ada@example.com' }
      const id = `${text.replace(/[^!-;=?-~]/g, '')}a`
      const attached = { filename: `${text}a`, content: Buffer.of(1), contentType: null, contentId: id }
      const raw = await compose(
        {
          ...{ ...outgoing, subject: text, from: one, to: [one], cc: [one], replyTo: [one] },
          ...{ inReplyTo: [`<${id}@x>`], html: '<p>Hello', attachments: [attached] },
        },
        identity,
      )
      const [top, ...parts] = raw.toString('latin1').split(/\r\n--[^\r\n]+\r\n/)
      const names = namesIn(top?.split('\r\n\r\n')[0])
      assert.equal(new Set(names).size, names.length)
      for (const part of parts) names.push(...namesIn(part.split('\r\n\r\n')[0]))
      const strange = names.filter((name) => name !== '' && !known.has(name))
      const [{ to }, { attachments }] = [readMessage(raw), readContent(raw)]
      assert.deepEqual([strange, each(to, 'address'), attachments.length], [[], ['ada@example.com'], 1])
    }),
  )
})
