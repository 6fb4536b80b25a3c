import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyCharacter } from '#test/world/any-character.ts'
import { contentDisposition, downloadHeaders } from './download.ts'

for (const [what, filename, expected] of [
  ['plain', 'plan.pdf', 'attachment; filename="plan.pdf"'],
  ['spaces', 'my plan.pdf', 'attachment; filename="my plan.pdf"'],
  ['quotes', 'a"b.txt', `attachment; filename="a_b.txt"; filename*=UTF-8''a%22b.txt`],
  ['other scripts', 'план.pdf', `attachment; filename="____.pdf"; filename*=UTF-8''%D0%BF%D0%BB%D0%B0%D0%BD.pdf`],
  ['RFC 8187', "é'(1)*.txt", `attachment; filename="_'(1)*.txt"; filename*=UTF-8''%C3%A9%27%281%29%2A.txt`],
  ['a header line of its own', 'a\r\nSet-Cookie: x=1', 'attachment; filename="aSet-Cookie_ x=1"'],
  ['a path', '../../etc/passwd', 'attachment; filename="_.._etc_passwd"'],
  ['a drive', 'C:\\windows\\x.exe', 'attachment; filename="C__windows_x.exe"'],
  ['a mark that turns the ending round', 'a\u202efdp.exe', 'attachment; filename="afdp.exe"'],
  ['nothing', '', 'attachment; filename="attachment"'],
  ['dots', '...', 'attachment; filename="attachment"'],
  ['half a character', 'a\ud800b', 'attachment; filename="ab"'],
  ['a long name', `${'x'.repeat(300)}.pdf`, `attachment; filename="${'x'.repeat(196)}.pdf"`],
] as const)
  test(`a file name of ${what} is given as it can be saved`, () => assert.equal(contentDisposition(filename), expected))

const octets = 'application/octet-stream'
for (const [type, expected] of Object.entries({
  ...{ 'application/pdf': 'application/pdf', 'Image/PNG': 'image/png', 'text/plain': 'text/plain' },
  ...{ 'message/rfc822': 'message/rfc822', 'text/html': octets, 'TEXT/HTML': octets, 'image/svg+xml': octets },
  ...{ 'application/xhtml+xml': octets, 'text/xml': octets, 'application/javascript': octets, '': octets },
  ...{ 'text/html; charset=utf-8': octets, 'text/plain\r\nX: y': octets },
}))
  test(`an attachment of type ${JSON.stringify(type)} is sent as ${expected}`, () =>
    assert.equal(downloadHeaders('a', type)['Content-Type'], expected))

test('whatever the name and type, the headers are one line each and say that it is to be saved', () =>
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), fc.string({ unit: anyCharacter }), (filename, type) => {
      const headers = downloadHeaders(filename, type)
      for (const value of Object.values(headers)) assert.match(value, /^[\x20-\x7e]+$/)
      const saved = /^attachment; filename="[^"\\]+"(; filename\*=UTF-8''[^'" ]+)?$/
      assert.match(headers['Content-Disposition'] ?? '', saved)
      assert.equal(headers['X-Content-Type-Options'], 'nosniff')
    }),
  ))
