import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readContent } from '#/mime/body/content.ts'
import { sendingWorld } from '#test/world/sending-world.ts'

// On one database: it looks at messages as they leave.

const { world, sink, organization } = await sendingWorld({ plan: 'self_hosted' })
world.dns.set('far.example', { txt: ['v=spf1 ip4:127.0.0.1 -all'] })

const pieces = [
  ...': < > " \\ , ; ( ) @ . = %0d%0a \\r\\n -- \u202e 😀 é Bcc: =? ?='.split(' '),
  ...[' ', '  ', '\u00a0', 'x'.repeat(90), 'long '.repeat(40), 'Bcc: eve@there.example'],
  '=?utf-8?Q?=0D=0ABcc:_eve@there.example?=',
]
const hostile = fc.array(fc.constantFrom(...pieces), { maxLength: 8 }).map((parts) => parts.join('').trim())
/** The names of a header's fields, in lower case, sorted. */
function fieldNames(head: string): string[] {
  const fields = head.split(/\r\n(?![ \t])/).filter(Boolean)
  return fields.map((field) => field.slice(0, field.indexOf(':')).toLowerCase()).sort()
}

test('whatever a message says of itself, its automatic answer has the fields that it should have', async () => {
  const { address } = await organization.mailbox('away', { name: 'Ada, "the" Countess' })
  const settings = { mailbox: address, reply_body: 'I am away', reply_enabled: true }
  assert.equal((await organization.request('PATCH', '/v1/forwarding', settings)).status, 200)
  const encoded = (text: string) => `=?utf-8?B?${Buffer.from(text).toString('base64')}?=`
  const ends = fc.constantFrom('\r\nBcc: eve@there.example', '\r\n\r\nbody', '\0', '\n', '\r', '\u2028', '\r\n ')
  const subject = fc.tuple(hostile, ends, hostile).map(([one, end, other]) => encoded(one + end + other))
  const id = fc.oneof(
    fc.constantFrom('<a@x>', '\r\n <a@x>', '<a\r\n b@x>', '<a@x> Bcc: eve', '<a>b@x>', '<>', ''),
    fc.constant(`<${encoded('a\r\nBcc: e')}@x>`),
    hostile,
  )
  let count = 0
  await fc.assert(
    fc.asyncProperty(subject, id, fc.array(id, { maxLength: 3 }), async (subject, id, references) => {
      const from = `bob${++count}@far.example`
      const known = `From: ${from}\r\nTo: ${address}\r\nSubject: ${subject}\r\n`
      const raw = `${known}Message-ID: ${id}\r\nReferences: ${references.join(' ')}\r\n\r\nHi\r\n`
      await world.send({ envelope: { from, to: address }, raw })
      await world.outbound.processAll()
      const [answer, ...others] = sink.taken.splice(0)
      assert.ok(answer)
      assert.deepEqual([others, answer.to], [[], [from]])
      const [head = ''] = answer.bytes.toString('latin1').split('\r\n\r\n')
      const names = fieldNames(head)
      const usual = names.filter((name) => name !== 'in-reply-to' && name !== 'references')
      const content = ['content-transfer-encoding', 'content-type', 'date', 'from', 'message-id', 'mime-version']
      assert.deepEqual(usual, ['auto-submitted', ...content, 'subject', 'to', 'x-auto-response-suppress'])
      assert.equal(new Set(names).size, names.length)
      assert.equal(readContent(answer.bytes).text?.trim(), 'I am away')
    }),
    { numRuns: 25 },
  )
})
