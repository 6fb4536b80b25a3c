import assert from 'node:assert/strict'
import { test } from 'node:test'
import { repeatedGrowsTooFast } from '#test/world/observe/growth.ts'
import { decodeBytes } from './charset.ts'

const octets = (text: string) => Buffer.from(text, 'latin1')

for (const [what, charset, bytes, text] of [
  ['Korean of windows-949', 'ks_c_5601-1987', octets('\x8cc\xb9\xe6\x98\xde'), '똠방샾'],
  ['Korean of windows-949', 'euc-kr', octets('\x8cc\xb9\xe6\x98\xde'), '똠방샾'],
  ['Korean of windows-949', 'UHC', octets('\x8cc\xb9\xe6\x98\xde'), '똠방샾'],
  ['those of Hong Kong', 'big5', octets('\x9d\xef\x9d\xf8\x91\xc1\x88\x62\x88\xa5'), '嘅啲嚟\u00ca\u0304\u00ea\u030c'],
  ['simplified Chinese', 'cp936', octets('\xc4\xe3\xba\xc3'), '你好'],
  ['ISO-2022-KR', 'iso-2022-kr', octets('\x1b$)C\x0e>H3g\x0f, Ann\r\n\x0eGO\r\n!'), '안녕, Ann\r\n하\r\n!'],
  ['ISO-2022-CN', 'iso-2022-cn', octets('a \x1b$)A\x0eDc:C\x0f b'), 'a 你好 b'],
  ['HZ', 'hz-gb-2312', octets('Ann: ~{Dc:C~}, ~~ ~\r\nb ~{Dc~}'), 'Ann: 你好, ~ b 你'],
  ['HZ with a tilde in a character', 'HZ', octets('~{!~~}'), '〓'],
  ['ISO-2022-JP without a charset', '', octets('\x1b$B$3$s\x1b(B'), 'こん'],
  ['ISO-2022-JP of the older set without a charset', 'us-ascii', octets('\x1b$@$3$s\x1b(J\\\x1b(B'), 'こん¥'],
  ['ISO-2022-JP that is labelled as another', 'iso-8859-1', octets('\x1b$B$3$s\x1b(B'), 'こん'],
  ['ISO-2022-JP that is labelled as another', 'utf-8', octets('\x1b$B$3$s\x1b(B'), 'こん'],
  ['colours of a terminal as they are', '', octets('\x1b[31mred\x1b[0m'), '\x1b[31mred\x1b[0m'],
  ['UTF-8 that is labelled as ASCII', 'us-ascii', Buffer.from('Grüße'), 'Grüße'],
  ['UTF-8 that is labelled as latin-1', 'iso-8859-1', Buffer.from('Grüße 漢'), 'Grüße 漢'],
  ['UTF-8 that is labelled as windows-1252', 'Windows-1252', Buffer.from('Grüße'), 'Grüße'],
  ['latin-1 as it is labelled', 'iso-8859-1', octets('Gr\xfc\xdfe'), 'Grüße'],
  ['UTF-8 that ends within a character', 'iso-8859-1', Buffer.from('漢字漢').subarray(0, 8), '漢字\ufffd'],
  ['UTF-8 that ends within a character', '', Buffer.from('Gr👋👋').subarray(0, 9), 'Gr👋\ufffd'],
  ['latin-1 that ends as a character of UTF-8 begins', '', octets('caf\xe9'), 'café'],
  ['UTF-16 by its mark, big-endian', 'utf-16', octets('\xfe\xff\0H\0i'), 'Hi'],
  ['UTF-16 by its mark, little-endian', 'utf-16', octets('\xff\xfeH\0i\0'), 'Hi'],
  ['UTF-16 by its mark, whatever the label says', 'utf-16le', octets('\xfe\xff\0H\0i'), 'Hi'],
  ['UTF-16 by its mark, without a label', '', octets('\xfe\xff\0H\0i'), 'Hi'],
  ['UTF-16 by its mark, labelled as UTF-8', 'utf-8', octets('\xff\xfeH\0i\0'), 'Hi'],
  ['UTF-16 without a mark by its letters', 'utf-16', octets('\0H\0i\x4e\x00'), 'Hi一'],
  ['UTF-16 without a mark by its letters', 'utf-16', octets('H\0i\0\x00\x4e'), 'Hi一'],
  ['UTF-16 without a mark by its label', 'utf-16be', octets('\x4e\x00'), '一'],
  ['UTF-8 without its mark', 'utf-8', Buffer.from('\ufeffHi'), 'Hi'],
  ['UTF-8 by its mark, whatever the label says', 'koi8-r', Buffer.from('\ufeffGrüße'), 'Grüße'],
  ['UTF-32', 'utf-32le', octets('H\0\0\0i\0\0\0'), 'Hi'],
  ['a code page of DOS', 'cp850', octets('Gr\x81\xe1e'), 'Grüße'],
  ['an encoding that is no charset as UTF-8', 'base64', Buffer.from('Grüße'), 'Grüße'],
] as const)
  test(`of the charset "${charset}" is read ${what}`, () => assert.equal(decodeBytes(bytes, charset), text))

const MiB = 1024 * 1024

for (const [what, charset, unit] of [
  ['beginnings of escape sequences', '', '\x1b$'],
  ['escapes', 'iso-2022-jp', '\x1b'],
  ['switches', 'iso-2022-jp', '\x1b$B\x1b(B'],
  ['switches', 'iso-2022-kr', '\x0e\x0f'],
  ['tildes', 'hz', '~{'],
  ['last octets', 'us-ascii', '\x80'],
  ['first octets', 'big5', '\xfe'],
  ['characters', 'gb18030', '\x81\x30\x81\x30'],
] as const)
  test(`${what} are decoded as ${charset || 'nothing'} in time in proportion to them`, () => {
    const decode = (text: string) => decodeBytes(octets(text), charset)
    assert.ok(!repeatedGrowsTooFast(decode, MiB, (bytes) => unit.repeat(bytes / unit.length)))
  })
