import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import libmime from 'libmime'
import { readHeaders } from '../header/headers.ts'
import { readStructure } from './structure.ts'
import { decodePart } from './transfer-encoding.ts'

function decode(encoding: string, body: string): string {
  const raw = Buffer.from(`Content-Transfer-Encoding: ${encoding}\r\n\r\n${body}`, 'latin1')
  const { headers, bodyStart } = readHeaders(raw)
  return decodePart(raw, readStructure(raw, headers, bodyStart)).toString('latin1')
}

for (const [what, encoding, body, decoded] of [
  ['base64 in lines', 'base64', 'SGVs\r\nbG8=\r\n', 'Hello'],
  ['base64 without padding', 'BASE64', 'SGVsbG8', 'Hello'],
  ['base64 with what is not of it between', 'base64', 'SG Vs!bG\n8=', 'Hello'],
  ['base64 in chunks that are each padded', 'base64', 'SGU=\r\nbGxv\r\nIQ==', 'Hello!'],
  ['base64 up to its padding, not the plain footer there', 'base64', 'SGk=\r\n____\r\nlist at lists.example\r\n', 'Hi'],
  ['base64 up to its padding, not a footer of one word', 'base64', 'SGk=\r\nUnsubscribe\r\n', 'Hi'],
  ['base64 up to its padding, not a footer with an equals', 'base64', 'SGk=\r\nhttps://l.example/?id=ab==\r\n', 'Hi'],
  ['base64 up to the padding of its last chunk', 'base64', 'SGU=\r\nbGxv\r\nIQ==\r\nThe list: x', 'Hello!'],
  ['base64 cut off', 'base64', 'SGVsbG8gd', 'Hello '],
  ['quoted-printable', 'quoted-printable', 'a=20=C3=bc=3D', 'a \xc3\xbc='],
  ['soft line breaks', 'quoted-printable', 'a=\r\nb=\nc= \t\r\nd', 'abcd'],
  ['a soft line break at the end', 'quoted-printable', 'a=', 'a'],
  ['hard line breaks as they are', 'quoted-printable', 'a\r\nb\nc', 'a\r\nb\nc'],
  ['white space before a line break, as added on the way', 'quoted-printable', 'a \t\r\n=20\r\nb', 'a\r\n \r\nb'],
  ['a broken escape as it is', 'quoted-printable', 'a=ZZ=4', 'a=ZZ=4'],
  ['uuencode', 'x-uuencode', 'begin 644 a.txt\r\n%2&5L;&\\\r\n`\r\nend\r\nx', 'Hello'],
  ['uuencode with spaces for zeros', 'uuencode', 'begin 644 a\n#    \n \nend\n', '\0\0\0'],
  ['uuencode with words before it', 'x-uue', 'My file:\nbegin 600 a\n%2&5L;&\\\n`\nend', 'Hello'],
  ['uuencode without its beginning', 'x-uuencode', '%2&5L;&\\\n`\nend\n', 'Hello'],
  ['uuencode whose lines lost their last spaces', 'x-uuencode', 'begin 644 a\n#\n`\nend\n', '\0\0\0'],
  ['uuencode cut off', 'x-uuencode', 'begin 644 a\n%2&5L', 'Hel'],
  ['8bit as it is', '8bit', 'a \r\n\xfc', 'a \r\n\xfc'],
  ['an encoding that nobody knows as it is', 'x-nobody', 'a=20', 'a=20'],
  ['an encoding with a comment', 'base64 (really)', 'SGVsbG8=', 'Hello'],
] as const)
  test(`a body is decoded from ${what}`, () => assert.equal(decode(encoding, body), decoded))

for (const [what, type, body, decoded] of [
  ['as it is where it is plain', 'message/rfc822', 'Subject: x\r\n\r\nHello', 'Subject: x\r\n\r\nHello'],
  ['from base64 where it is in that', 'message/rfc822', 'U3ViamVjdDogeA==', 'Subject: x'],
] as const)
  test(`an enclosed message that says base64 is read ${what}`, () =>
    assert.equal(decode(`base64\r\nContent-Type: ${type}`, body), decoded))

test('what is encoded is decoded again', () =>
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 500 }), (bytes) => {
      const plain = Buffer.from(bytes)
      assert.equal(decode('base64', plain.toString('base64').replace(/.{1,76}/g, '$&\r\n')), plain.toString('latin1'))
      const escaped = [...plain].map((byte) => `=${byte.toString(16).padStart(2, '0')}`).join('')
      assert.equal(decode('quoted-printable', escaped.replace(/.{1,75}/g, '$&=\r\n')), plain.toString('latin1'))
    }),
  ))

test('quoted-printable of another encoder is decoded', () =>
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'aä= \t.') }), (text) => {
      const word = libmime.encodeWord(text, 'Q').slice('=?UTF-8?Q?'.length, -2)
      assert.equal(decode('quoted-printable', word.replaceAll('_', '=20')), Buffer.from(text).toString('latin1'))
    }),
  ))
