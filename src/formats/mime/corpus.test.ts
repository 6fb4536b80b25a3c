import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { each } from '#test/world/each.ts'
import { readContent } from './body/content.ts'
import { readMessage } from './read-message.ts'

const corpus = new URL('../../../test/world/corpus/', import.meta.url)
const files = readdirSync(corpus).filter((name) => name.endsWith('.eml'))
const bytesOf = (name: string) => readFileSync(new URL(name, corpus))

/** File, subject, first author, preview, attachments as `id type name size`, in brackets where they belong in the text. */
const expected: readonly (readonly [string, string, string, string, readonly string[]])[] = [
  [
    ...(['alternative', 'Grüße', 'Ada Byron'] as const),
    'Schöne Grüße aus Wien, und bis bald in München — wir freuen uns sehr darauf, euch alle wiederzusehen.',
    [],
  ],
  [
    ...(['attachments', 'Files', 'Ada Byron', 'Three files.'] as const),
    ['2 application/pdf plan.pdf 69', '3 text/csv Übersicht 2026.csv 11', '4 application/octet-stream 日本語.bin 8'],
  ],
  [
    ...(['bounce', 'Undelivered Mail Returned to Sender', 'Mail Delivery System'] as const),
    'The mail system could not deliver to <nobody@reader.example>.',
    ['2 message/delivery-status null 111', '3 text/rfc822-headers null 75'],
  ],
  ['cut-off', 'Cut off', 'Ada Byron', 'The rest never came.', ['2 application/octet-stream half.bin 3']],
  ['digest', 'Digest', 'List', 'Two messages.', ['2.1 message/rfc822 null 40', '2.2 message/rfc822 null 41']],
  ['empty-text', 'Only HTML speaks', 'Shop', 'Hello from the HTML.', []],
  ['flowed', 'Flowed', 'Ada Byron', 'This is one long paragraph that was broken into two lines. -- Ada', []],
  ['forwarded', 'Fwd: Invoice', 'Ada Byron', 'See below.', ['2 message/rfc822 invoice.eml 155']],
  ['header-only', 'Nothing more', '', '', []],
  ['html-only', 'Sale', 'Shop', 'Everything must go — 20% off. Today only: have a look.', []],
  ['inline-image', 'A picture', 'Ada Byron', 'See [image: dot.png].', ['(2 image/png dot.png 70)']],
  ['invitation', 'Meeting', 'Ada Byron', 'We meet on Tuesday.', ['3 text/calendar invite.ics 46']],
  ['iso-2022-jp', 'こんにちは世界', '山田', 'こんにちは、世界。', []],
  ['latin1', 'Grüße', 'Jörg', 'Schöne Grüße.', []],
  ['lf-only', 'LF', 'Ada Byron', 'One.', ['2 text/plain a.txt 3']],
  ['list-footer', '[list] Hello', 'Ada Byron', 'Hello, list. -- list mailing list <list@lists.example>', []],
  ['old-mailer', 'Re: your letter', 'Eve Old', 'It came.', []],
  ['plain', 'Invoice 1042', 'Ada Byron', 'Hello, could you send me invoice 1042 once more? Thank you Ada', []],
  ['reply-below', 'Re: Lunch', 'Ben Okri', 'Yes, noon is fine. And the corner too.', []],
  ['reply-quoted', 'Re: Invoice 1042', 'Support', 'Hello Ada, here it is.', []],
  ['same-name-twice', 'Twice', 'Ada Byron', 'A named text is a file.', ['2 text/plain notes.txt 8']],
  ['signed', 'Signed', 'Ada Byron', 'Signed words.', ['2 application/pgp-signature signature.asc 78']],
  ['smtputf8', 'Grüße 👋', 'Jörg Müller', 'Internationale Post: 你好 👩‍👩‍👧.', []],
  ['text-around-image', 'Holiday', 'Ada Byron', 'Before the picture. After the picture.', ['2 image/png dot.png 70']],
  ['windows-1251', 'Привет', 'Анна', 'Привет, мир.', []],
  ['wrong-boundary', 'Broken', 'Ada Byron', '--used Content-Type: text/plain Still readable. --used--', []],
]

test('every message of the corpus is spoken for', () =>
  assert.deepEqual(
    expected.map(([name]) => `${name}.eml`),
    files,
  ))

for (const [name, subject, author, preview, attachments] of expected)
  test(`the message ${name} is read`, () => {
    const raw = bytesOf(`${name}.eml`)
    const message = readMessage(raw)
    assert.deepEqual([message.subject, message.from?.name, message.preview], [subject, author, preview])
    const found = readContent(raw).attachments.map(({ id, content_type, filename, size_bytes, inline }) => {
      const line = `${id} ${content_type} ${filename} ${size_bytes}`
      return inline ? `(${line})` : line
    })
    assert.deepEqual(found, attachments)
  })

test('a message has an attachment where there is more than pictures of its HTML and its signature', () => {
  const having = files.filter((name) => readMessage(bytesOf(name)).hasAttachment)
  assert.deepEqual(
    having.map((name) => name.replace('.eml', '')).join(' '),
    'attachments bounce cut-off digest forwarded invitation lf-only same-name-twice text-around-image',
  )
})

test('a group is opened up, and an address in an old mailer’s field is a weak id only', () => {
  const { to, from, strong, weak } = readMessage(bytesOf('old-mailer.eml'))
  assert.deepEqual(each(to, 'address'), ['ann@x.example', 'ben@x.example', 'carl@x.example'])
  assert.deepEqual(from, { name: 'Eve Old', address: 'eve@old.example' })
  assert.deepEqual({ strong, weak }, { strong: [], weak: ['<ann@x.example>'] })
})

test('a list footer is part of both the text and the HTML', () => {
  const { text, html } = readContent(bytesOf('list-footer.eml'))
  assert.equal(text, 'Hello, list.\n-- \nlist mailing list <list@lists.example>')
  assert.match(html ?? '', /^<p>Hello, <i>list<\/i>.<\/p>\n<div>-- <br>\nlist mailing list &lt;list@/)
})
