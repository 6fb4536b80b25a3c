import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ajv } from '#/http/validation/validate.ts'
import { bodyLimit, type SendingBody, SendRequest, sendingFields } from './schemas.ts'

const least: SendingBody = { from: 'ada@example.com', to: 'bob@example.com', text: 'Hello' }
const attachment = { filename: 'a', content: '' }
const fits = ajv.compile(SendRequest)

const text = (length: number) => 'x'.repeat(length)
const several = <T>(item: T) => {
  return (count: number) => Array.from({ length: count }, () => item)
}

for (const [what, most, body] of [
  ['letters of an author', 998, (count) => ({ from: text(count) })],
  ['letters of a recipient', 998, (count) => ({ to: text(count) })],
  ['recipients in To', 25, (count) => ({ to: several('a')(count) })],
  ['recipients in Cc', 25, (count) => ({ cc: several('a')(count) })],
  ['recipients in Bcc', 25, (count) => ({ bcc: several('a')(count) })],
  ['addresses for answers', 10, (count) => ({ reply_to: several('a')(count) })],
  ['letters of a subject', 998, (count) => ({ subject: text(count) })],
  ['letters of a Message-ID', 998, (count) => ({ in_reply_to: text(count) })],
  ['Message-IDs', 100, (count) => ({ references: several('a')(count) })],
  ['attachments', 10, (count) => ({ attachments: several(attachment)(count) })],
  ['letters of a file name', 255, (count) => ({ attachments: [{ ...attachment, filename: text(count) }] })],
  ['letters of a media type', 140, (count) => ({ attachments: [{ ...attachment, content_type: text(count) }] })],
  ['letters of a Content-ID', 255, (count) => ({ attachments: [{ ...attachment, content_id: text(count) }] })],
] as const satisfies [string, number, (count: number) => object][])
  test(`a message has at most ${most} ${what}`, () =>
    assert.deepEqual([fits({ ...least, ...body(most) }), fits({ ...least, ...body(most + 1) })], [true, false]))

for (const [what, body] of [
  ['no recipient in To', { to: [] }],
  ['a file without a name', { attachments: [{ ...attachment, filename: '' }] }],
  ['an empty Content-ID', { attachments: [{ ...attachment, content_id: '' }] }],
  ['a subject of two lines', { subject: 'One\nTwo' }],
  ['a text with a NUL', { text: 'a\0b' }],
  ['HTML with a NUL', { html: 'a\0b' }],
  ['half a character', { text: '\ud800' }],
] as const)
  test(`a message does not have ${what}`, () => assert.equal(fits({ ...least, ...body }), false))

test('a body has room for 8 MiB of attachments in base64, and for as much text as a third of that', () =>
  assert.equal(bodyLimit, 12 << 20))

test('each field for recipients is described by its name', () => {
  for (const field of ['to', 'cc', 'bcc'] as const)
    assert.match((sendingFields[field] as { description?: string }).description ?? '', new RegExp(`^${field}\\b`, 'i'))
})
