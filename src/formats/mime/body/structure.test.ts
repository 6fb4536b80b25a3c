import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readHeaders } from '../header/headers.ts'
import type { Part } from './part.ts'
import { leaves, readStructure } from './structure.ts'

function read(text: string | Buffer): { raw: Buffer; root: Part } {
  const raw = typeof text === 'string' ? Buffer.from(text.replace(/\r?\n/g, '\r\n'), 'latin1') : text
  const { headers, bodyStart } = readHeaders(raw)
  return { raw, root: readStructure(raw, headers, bodyStart) }
}

/** `path type:body` of each leaf. */
function outline(text: string | Buffer): string[] {
  const { raw, root } = read(text)
  return Array.from(leaves(root), ({ leaf }) => {
    return `${leaf.path} ${leaf.type}:${raw.toString('latin1', leaf.start, leaf.end)}`
  })
}

const mixed = 'Content-Type: multipart/mixed; boundary=b\n\n'
const inX = (boundary: string) => `${mixed}--b\nContent-Type: multipart/x; boundary=${boundary}\n\n`
/** A multipart of one part, whose header and delimiters are these. */
const typed = (fields: string, boundary = 'b') => `Content-Type: ${fields}\n\n--${boundary}\n\none\n--${boundary}--`
const types = (...all: string[]) => all.map((type) => `Content-Type: ${type}\n`).join('')
const digest = 'Content-Type: multipart/digest; boundary=b\n\n--b\n\nSubject: x\n\ny\n--b--'
const one = ['1 text/plain:one'] as const
const both = ['1.1 text/plain:one', '2 text/plain:two'] as const

for (const [what, message, expected] of [
  ['a message without MIME', 'Subject: x\n\nHello\n', ['1 text/plain:Hello\r\n']],
  ['a single part', 'Content-Type: Text/HTML; charset=x\n\n<p>', ['1 text/html:<p>']],
  ['no body', 'Content-Type: text/plain\n', ['1 text/plain:']],
  ['two parts', `${mixed}--b\n\none\n--b\nContent-Type: a/b\n\ntwo\n--b--\n`, [...one, '2 a/b:two']],
  ['what stands before and after the parts', `${mixed}pre\n--b\n\none\n--b--\npost\n--b\n\nmore`, one],
  ['an empty part', `${mixed}--b\n\n--b--`, ['1 text/plain:']],
  ['a part of an empty line', `${mixed}--b\n\n\n--b--`, ['1 text/plain:']],
  ['a part that ends with an empty line', `${mixed}--b\n\none\n\n--b--`, ['1 text/plain:one\r\n']],
  ['a part whose header has no end', `${mixed}--b\nContent-Type: a/b\n--b--`, ['1 a/b:']],
  ['white space after the boundary', `${mixed}--b \t\n\none\n--b-- \n`, one],
  ['lines that begin as one', `${mixed}--b\n\n--bb\n--\n--b.x\n-b\n--b--`, ['1 text/plain:--bb\r\n--\r\n--b.x\r\n-b']],
  ['a message that ends within a part', `${mixed}--b\n\none\n`, ['1 text/plain:one\r\n']],
  ['a message that ends in the last boundary', `${mixed}--b\n\none\n--b-`, ['1 text/plain:one\r\n--b-']],
  ['a boundary in quotes with spaces', typed('multipart/mixed; boundary="a b"', 'a b'), one],
  ['a boundary that begins the inner one', `${inX('bb')}--bb\n\none\n--bb--\n--b\n\ntwo\n--b--`, both],
  ['one boundary at two depths', `${inX('b')}--b\n\none\n--b--\n--b\n\ntwo\n--b--`, both],
  ['inner parts that the outer boundary ends', `${inX('c')}--c\n\none\n--b\n\ntwo\n--b--`, both],
  ['a digest', digest, ['1 message/rfc822:Subject: x\r\n\r\ny']],
  [
    'an enclosed message as one part',
    `${mixed}--b\nContent-Type: message/rfc822\n\n${mixed.replace('=b', '=c')}--c\n\nx\n--c--\n--b--`,
    [`1 message/rfc822:${mixed.replace('=b', '=c').replaceAll('\n', '\r\n')}--c\r\n\r\nx\r\n--c--`],
  ],
  ['text behind them', `${mixed}--b (1)\n\none\n--b 2\nContent-Type: a/b\n\n2\n--b--(end)\n3`, [...one, '2 a/b:2']],
  ['a boundary that begins one with a space', `${inX('"b c"')}--b c\n\none\n--b c--\n--b\n\ntwo\n--b--`, both],
  ['a multipart with its last delimiter alone', `${mixed}one\n\ntwo\n--b--\npost`, ['1 text/plain:one\r\n\r\ntwo']],
  ['one behind a part with its header', `${mixed}\nContent-Type: text/html\n\n<p>\n--b--\n`, ['1 text/html:<p>']],
  ['an inner one so, as text', `${inX('c')}one\n--c--\n--b\n\ntwo\n--b--`, [...one, '2 text/plain:two']],
  ['a commented boundary', typed('multipart/mixed; boundary=b (ours)'), one],
  ['a boundary in quotes with a comment', typed('multipart/mixed; boundary="b" (ours); charset=x'), one],
  ['a boundary without a semicolon behind it', typed('multipart/mixed; boundary=b\n charset=utf-8'), one],
  ['a multipart of any kind', typed('multipart/*; boundary=b'), one],
  ['a punctuated multipart', typed('"multipart/mixed", boundary=b'), one],
  ['a type with a comma', 'Content-Type: text/html, charset=x\n\n<p>', ['1 text/html:<p>']],
  ['a type with a colon', 'Content-Type: text/plain:\n\nHello', ['1 text/plain:Hello']],
  ['text of any kind', 'Content-Type: text/*\n\nHello', ['1 text/plain:Hello']],
  ['two types, of which one is of parts', typed('multipart/mixed; boundary=b\nContent-Type: text/plain'), one],
  ['two types, the last of which is no', `${types('text/html', 'charset=x')}\n<p>`, ['1 text/html:<p>']],
  ['two types, of which the last is empty', `${types('text/html', '')}\n<p>`, ['1 text/html:<p>']],
  ['two types, the last a vague one', `${types('text/html', 'application/octet-stream')}\n<p>`, ['1 text/html:<p>']],
  ['two types that are both one', `${types('text/html', 'text/plain')}\nHello`, ['1 text/plain:Hello']],
  ['one of two types', `${mixed}--b\n${types('text/html', 'rubbish')}\n<p>\n--b--`, ['1 text/html:<p>']],
  ['a multipart without parts', `${mixed}--b--`, []],
  ['a multipart whose boundary never comes, as text', `${mixed}Hello\n`, ['1 text/plain:Hello\r\n']],
  ['an inner one whose boundary never comes, as text', `${inX('c')}one\n--b--`, one],
  ['a multipart that names no boundary, as text', 'Content-Type: multipart/mixed\n\nHello', ['1 text/plain:Hello']],
  ['a type that is none', 'Content-Type: rubbish\n\nHello', ['1 application/octet-stream:Hello']],
  ['a type from before MIME', 'Content-Type: text\n\nHello', ['1 text/plain:Hello']],
  ['an empty type', 'Content-Type: ; charset=x\n\nHello', ['1 text/plain:Hello']],
] as const)
  test(`the structure is found of ${what}`, () => assert.deepEqual(outline(message), expected))

const inner = 'Content-Type: multipart/mixed; boundary=c\n\n'
for (const [what, behind, expected] of [
  ['its last delimiter', '--c--\n--b\n\ntwo\n--b--\nend', '--c\n\none\n--c--'],
  ['what stands behind its last delimiter', '--c--\npost\n\n--b--', '--c\n\none\n--c--\npost\n'],
  ['all up to a delimiter of what holds it, if it has no last one', '--b--', '--c\n\none'],
  ['all up to the end, if nothing else ends it', '--c--\npost\n', '--c\n\none\n--c--\npost\n'],
] as const)
  test(`the octets of a multipart are those with ${what}`, () => {
    const { raw, root } = read(`${mixed}--b\n${inner}--c\n\none\n${behind}`)
    const [part] = root.parts
    assert.equal(raw.toString('latin1', part?.start, part?.end).replaceAll('\r\n', '\n'), expected)
    assert.equal(root.end, raw.length)
  })

test('lines may end in LF alone', () => {
  const message = `${mixed}--b\nContent-Type: a/b\n\none\n--b\n\ntwo\n\n--b--\n`
  assert.deepEqual(outline(Buffer.from(message)), ['1 a/b:one', '2 text/plain:two\n'])
})

for (const [what, header, filename] of [
  ['Content-Disposition', 'Content-Disposition: attachment; filename="a b.txt"', 'a b.txt'],
  ['Content-Type', 'Content-Type: a/b; name=c.txt', 'c.txt'],
  ['both', 'Content-Type: a/b; name=c.txt\nContent-Disposition: inline; filename=d.txt', 'd.txt'],
  ['encoded segments', "Content-Disposition: attachment; filename*0*=utf-8''%C3%BC;\n filename*1=.txt", 'ü.txt'],
  ['encoded words', 'Content-Disposition: attachment; filename="=?utf-8?q?=C3=BC?=\n =?utf-8?q?.txt?="', 'ü.txt'],
  ['raw UTF-8', 'Content-Disposition: attachment; filename="\xc3\xbc.txt"', 'ü.txt'],
  ['nowhere', 'Content-Disposition: attachment; filename=""', null],
] as const)
  test(`a file's name is read from ${what}`, () => assert.equal(read(`${header}\n\n`).root.filename, filename))

test('Content-ID is read without its brackets', () => {
  assert.equal(read('Content-ID: <a@b>\n\n').root.contentId, 'a@b')
  assert.equal(read('Content-ID:\n\n').root.contentId, null)
})

function nested(depth: number): string {
  const levels = Array.from({ length: depth }, (_, level) => level)
  return levels.map((level) => `Content-Type: multipart/mixed; boundary=b${level}\n\n--b${level}\n`).join('')
}

test('beyond 32 levels a part is not looked into', () => {
  assert.equal(outline(nested(32))[0]?.split(' ')[0], Array(32).fill(1).join('.'))
  const [only, ...others] = outline(nested(2_000))
  assert.deepEqual(others, [])
  assert.match(only ?? '', /^1(\.1){31} application\/octet-stream:--b32\r\n/)
})

test('after 1,000 parts the rest is one part', () => {
  const { raw, root } = read(mixed + '--b\n\nx\n'.repeat(20_000))
  assert.equal(root.parts.length, 1_000)
  assert.equal(root.parts.at(-1)?.end, raw.length)
  assert.equal(root.parts.at(-1)?.type, 'application/octet-stream')
})

test('any message is parsed without failing, into parts in order and within their multipart', () => {
  const line = fc.constantFrom(
    ...['--b', '--b--', '--c', '--c--', '--', '', 'x', ' y', '\r'],
    'Content-Type: multipart/mixed; boundary=c',
    'Content-Type: multipart/digest; boundary=b',
    'Content-Type: a/b',
  )
  fc.assert(
    fc.property(fc.array(line, { maxLength: 40 }), fc.constantFrom('\n', '\r\n'), (lines, newline) => {
      const all = [`Content-Type: multipart/mixed; boundary=b${newline}`, ...lines].join(newline)
      const { raw, root } = read(Buffer.from(all))
      const check = (part: Part, within: Part) => {
        assert.ok(within.start <= part.start && part.start <= part.end && part.end <= within.end)
        let last = part.start
        for (const child of part.parts) {
          assert.ok(last <= child.start)
          check(child, part)
          last = child.end
        }
      }
      check(root, root)
      assert.ok(root.end <= raw.length)
    }),
    { numRuns: 3_000 },
  )
})
