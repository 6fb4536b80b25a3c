import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { MessageBytes } from './message-bytes.ts'

/** Feeds the octets in chunks of these sizes and answers what was read as the message. */
function read(octets: string, sizes: readonly number[] = []) {
  const reader = new MessageBytes()
  let left = Buffer.from(octets, 'latin1')
  let content = ''
  for (const size of [...sizes, octets.length]) {
    if (left.length === 0) break
    const answer = reader.feed(Buffer.from(left.subarray(0, size)))
    content += answer.content.toString('latin1')
    if (answer.rest) {
      const rest = answer.rest.toString('latin1') + left.subarray(size).toString('latin1')
      return { content, rest, fault: reader.fault }
    }
    left = left.subarray(size)
  }
  return { content, rest: undefined, fault: reader.fault }
}

for (const [what, octets, content] of [
  ['a line', 'Hello\r\n.\r\n', 'Hello\r\n'],
  ['no line at all', '.\r\n', ''],
  ['an empty line', '\r\n.\r\n', '\r\n'],
  ['stuffed dots', '..\r\n...\r\n.. a\r\nb..\r\n.\r\n', '.\r\n..\r\n. a\r\nb..\r\n'],
  ['a dot that should have been stuffed', '.a\r\n.\r\n', 'a\r\n'],
  ['octets above 127', '\xe4\xff\x80\r\n.\r\n', '\xe4\xff\x80\r\n'],
] as const)
  test(`a message of ${what} is read as it was before dots were stuffed`, () =>
    assert.deepEqual(read(`${octets}QUIT\r\n`), { content, rest: 'QUIT\r\n', fault: undefined }))

test('of all sequences of up to 7 octets none ends a message but CR LF . CR LF, and what is stray is a fault', () => {
  for (let length = 0, sequences = ['']; length <= 7; length++) {
    for (const sequence of sequences) {
      const behind = `\r\n${sequence}` // a message starts where a line does
      const end = behind.indexOf('\r\n.\r\n')
      const rest = end < 0 ? undefined : behind.slice(end + 5)
      const stray = /\0|\r(?!\n)|(?<!\r)\n/.test(behind.slice(0, end + 2))
      for (const sizes of [[], [1, 1, 1, 1, 1, 1]]) {
        const answer = read(sequence, sizes)
        if (answer.rest !== rest || (end >= 0 && (answer.fault !== undefined) !== stray))
          assert.fail(`${JSON.stringify(sequence)} in pieces of ${sizes} is read as ${JSON.stringify(answer)}`)
      }
    }
    sequences = ['\r', '\n', '.', '\0', 'x'].flatMap((octet) => sequences.map((sequence) => sequence + octet))
  }
})

test('any message, stuffed and read in any pieces, is the same, and what follows it is left', () => {
  const line = fc.string({ unit: fc.constantFrom('.', 'a', '\t', '\xff', ' '), maxLength: 6 })
  fc.assert(
    fc.property(fc.array(line), fc.array(fc.integer({ min: 1, max: 9 })), (lines, sizes) => {
      const content = lines.map((text) => `${text}\r\n`).join('')
      const stuffed = `${content.replace(/^\./gm, '..')}.\r\n`
      const answer = read(`${stuffed}RSET\r\n`, sizes)
      assert.deepEqual(answer, { content, rest: 'RSET\r\n', fault: undefined })
    }),
  )
})

test('a NUL is a fault, and so is a CR or an LF alone; the first one is reported', () => {
  assert.equal(read('a\0b\nc\r\n.\r\n').fault, 'nul')
  assert.equal(read('a\nb\0c\r\n.\r\n').fault, 'bare line ending')
  assert.equal(read('a\rb\r\n.\r\n').fault, 'bare line ending')
})
