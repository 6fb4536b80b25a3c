import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { extensionsIn, MalformedReply, type Reply, ReplyReader, replyText, statusOf } from './reply.ts'

/** Feeds the octets cut at these places, and gives what was read until it was garbled. */
function read(octets: Buffer, cuts: readonly number[] = []): { replies: Reply[]; garbled: boolean } {
  const reader = new ReplyReader()
  const replies: Reply[] = []
  const places = [...new Set(cuts.map((cut) => cut % (octets.length + 1)))].sort((one, other) => one - other)
  try {
    for (const [at, from] of [0, ...places].entries()) {
      reader.feed(octets.subarray(from, places[at] ?? octets.length))
      for (let reply = reader.next(); reply; reply = reader.next()) replies.push(reply)
    }
    return { replies, garbled: false }
  } catch (error) {
    assert.ok(error instanceof MalformedReply, String(error))
    return { replies, garbled: true }
  }
}

const code = fc.integer({ min: 200, max: 599 })
const text = fc.string({ unit: 'grapheme', maxLength: 60 }).map((one) => one.replace(/[\r\n]/g, ' '))
const cuts = fc.array(fc.nat())
const lines = fc.array(text, { minLength: 1, maxLength: 6 })
const reply = fc.record({ code, lines }, { noNullPrototype: true })

function written({ code, lines }: Reply, end: string): string {
  return lines.map((line, at) => `${code}${at === lines.length - 1 ? ' ' : '-'}${line}${end}`).join('')
}

describe('replies', () => {
  test('are read as they were written, in whatever pieces they come', () =>
    fc.assert(
      fc.property(fc.array(reply), fc.constantFrom('\r\n', '\n'), cuts, (replies, end, places) => {
        const octets = Buffer.from(replies.map((one) => written(one, end)).join(''))
        assert.deepEqual(read(octets, places), { replies, garbled: false })
      }),
    ))

  test('of any octets are read alike in whatever pieces they come, or not at all', () => {
    const odd = fc.constantFrom('250 Ok', '250-Ok', '550 No', '2', '250', '\r', '\n', '\r\n', '250\t')
    const line = fc.oneof(
      fc.uint8Array({ maxLength: 20 }).map((octets) => Buffer.from(octets)),
      odd.map((one) => Buffer.from(one)),
    )
    fc.assert(
      fc.property(fc.array(line), cuts, (lines, places) => {
        const octets = Buffer.concat(lines.flatMap((one) => [one, Buffer.from('\r\n')]))
        const whole = read(octets)
        const pieces = read(octets, places)
        assert.deepEqual(pieces, whole)
        for (const one of whole.replies) assert.ok(one.code >= 200 && one.code < 600)
      }),
    )
  })

  test('are shown as one line of at most 500 characters that moves no cursor', () => {
    const character = fc.integer({ min: 0, max: 0x10ffff }).map((point) => String.fromCodePoint(point))
    const anything = fc.array(fc.oneof(fc.string({ unit: character }), text, fc.constantFrom('\x1b[2J', '\u202e')))
    fc.assert(
      fc.property(code, anything, (code, lines) => {
        const shown = replyText({ code, lines })
        assert.ok(shown.length <= 500)
        assert.ok(shown.startsWith(String(code)))
        assert.doesNotMatch(shown, /[\p{C}\p{Zl}\p{Zp}]/u)
        assert.match(statusOf({ code, lines }), /^[2345]\.\d{1,3}\.\d{1,3}$/)
      }),
    )
  })

  for (const [what, octets] of [
    ['a line without end', `250 ${'x'.repeat(70_000)}`],
    ['a reply without end', '250-x\r\n'.repeat(10_000)],
    ['no code', 'Ok\r\n'],
    ['letters', 'abc Ok\r\n'],
    ['a code of four digits', '2500 Ok\r\n'],
    ['a code below 200', '199 Ok\r\n'],
    ['two codes', '250-Ok\r\n251 Ok\r\n'],
  ] as const)
    test(`with ${what} are none`, () => assert.deepEqual(read(Buffer.from(octets)), { replies: [], garbled: true }))

  test('of 10 MB in one piece hold no more than their limit', () => {
    const reader = new ReplyReader()
    reader.feed(Buffer.alloc(10 * 2 ** 20, '2'))
    assert.throws(() => reader.next(), MalformedReply)
  })

  for (const [line, status] of [
    ['5.1.1 Nobody', '5.1.1'],
    ['4.1.1 Nobody', '5.1.1'],
    ['5.1.1', '5.1.1'],
    ['5.1.1000 Nobody', '5.0.0'],
    ['5.1.1x', '5.0.0'],
    ['Nobody, see 5.1.1', '5.0.0'],
    ['', '5.0.0'],
  ] as const)
    test(`550 ${line} has the status ${status}`, () => assert.equal(statusOf({ code: 550, lines: [line] }), status))

  test('to EHLO say what is offered', () => {
    const lines = ['mx.example greets', 'size 1000', 'AUTH=LOGIN PLAIN', 'Pipelining', '']
    const offered = { SIZE: ['1000'], AUTH: ['LOGIN', 'PLAIN'], PIPELINING: [], '': [] }
    assert.deepEqual(Object.fromEntries(extensionsIn({ code: 250, lines })), offered)
  })
})
