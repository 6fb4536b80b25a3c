import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { addressText, typedAddress } from '#/formats/mime/address/address-text.ts'
import { MessageReader } from '#/formats/mime/reader.ts'
import { composeDraft } from '#/out/compose/draft.ts'
import { anyCharacter } from '#test/world/any-character.ts'
import { ofFile } from '#test/world/of-file.ts'
import { changed, emptyDraft, readDraft } from './content.ts'

const reader = ofFile(new MessageReader())

const identity = { messageId: '<draft.01@example.com>', date: new Date('2026-11-21T07:44:33Z') }
const empty = emptyDraft({ name: 'Ada', address: 'ada@example.com' })

/** Text of one line, as the API takes it. */
const line = fc
  .string({ unit: anyCharacter, maxLength: 60 })
  .filter((text) => !/[\p{Cc}\u2028\u2029\ufeff\u00a0]/u.test(text) && text.isWellFormed())
const text = fc.string({ unit: 'grapheme', maxLength: 200 }).filter((one) => !/[\p{Cc}\u2028\u2029\ufeff]/u.test(one))
const lines = fc.array(text, { maxLength: 5 }).map((all) => all.join('\n'))

test('a draft says what was written in it', async () => {
  await fc.assert(
    fc.asyncProperty(lines, fc.option(lines), fc.array(line, { maxLength: 4 }), async (text, html, typed) => {
      const draft = changed(empty, { text, html, to: typed, attachments: [{ filename: 'a.bin', content: 'AAE=' }] })
      const read = await readDraft(reader, await composeDraft(draft, identity), true)
      assert.deepEqual([read.text, read.html], [draft.text, draft.html])
      assert.equal(read.to.length, draft.to.length)
      assert.deepEqual(
        read.attachments.map(({ filename, content }) => [filename, content.toString('hex')]),
        [['a.bin', '0001']],
      )
    }),
    { numRuns: 60 },
  )
})

for (const typed of [
  'ann@example.com',
  'Ann <ann@example.com>',
  '"Ann, of old" <ann@example.com>',
  'Jürgen Müller <j@example.com>',
  'an',
  'ann@',
  'Ann <ann@exam',
  'a@example.com, b@example.com',
  'With "quotes" and \\ in it',
  'Łukasz',
  '日本 <',
])
  test(`what is typed in To stays: ${typed}`, async () => {
    const raw = await composeDraft(changed(empty, { to: ['x@example.com', typed, 'y'] }), identity)
    const read = await readDraft(reader, raw, true)
    assert.deepEqual(read.to.map(addressText), ['x@example.com', typed, 'y'])
    assert.deepEqual(typedAddress(addressText(typedAddress(typed))), typedAddress(typed))
  })

test('an empty line names nobody', () => assert.deepEqual(changed(empty, { to: ['', '  ', 'a'] }).to.length, 1))

test('a draft without any text has an empty one', () =>
  assert.deepEqual([changed(empty, { text: null }).text, changed(empty, { text: null, html: 'x' }).text], ['', null]))
