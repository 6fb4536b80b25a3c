import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Caller } from '#/http/access/caller.ts'
import { outgoing, recipientsOf } from './outgoing.ts'
import type { SendingBody } from './schemas.ts'

const anyone = Caller.unrestricted('')
const least: SendingBody = { from: 'ada@example.com', to: 'bob@example.com', text: 'Hello' }

test('one address or several, with names or without', () => {
  const named = { ...least, from: 'Ada <ada@example.com>', cc: ['"Cy, Jr." <cy@example.com>'] }
  const { from, to, cc } = outgoing(anyone, named)
  assert.deepEqual(from, { name: 'Ada', address: 'ada@example.com' })
  assert.deepEqual(to, [{ name: '', address: 'bob@example.com' }])
  assert.deepEqual(cc, [{ name: 'Cy, Jr.', address: 'cy@example.com' }])
})

test('who is named more than once gets one copy', () => {
  const more = { cc: 'Bob <BOB@Example.com>', bcc: ['bob@example.com', 'cy@bücher.example'] }
  const given = outgoing(anyone, { ...least, ...more })
  assert.deepEqual(recipientsOf(given), ['bob@example.com', 'cy@xn--bcher-kva.example'])
})

test('Message-IDs come with or without brackets, in one string or several', () => {
  const ids = { in_reply_to: 'a@x', references: ['<b@x> <c@x>', 'd@x'] }
  const { inReplyTo, references } = outgoing(anyone, { ...least, ...ids })
  assert.deepEqual([inReplyTo, references], [['<a@x>'], ['<b@x>', '<c@x>', '<d@x>']])
})

test('a Message-ID of 900 octets is accepted, and none that is longer', () => {
  const of = (length: number) => outgoing(anyone, { ...least, in_reply_to: `${'a'.repeat(length - 2)}@x` }).inReplyTo
  assert.equal(of(900)[0]?.length, 902)
  assert.throws(() => of(901), { field: 'in_reply_to' })
})

const attachment = { filename: 'a.txt', content: 'SGk=' }

for (const [what, change, field] of [
  ['no recipient at all', { to: [] }, 'to'],
  ['recipients in cc and bcc alone', { to: [], cc: 'cy@example.com', bcc: ['eve@example.com'] }, 'to'],
  ['a recipient that is no address', { to: ['bob@example.com', 'bob'] }, 'to[1]'],
  ['two addresses in one string', { to: 'bob@example.com, cy@example.com' }, 'to'],
  ['a sender that is no address', { from: 'Ada' }, 'from'],
  ['neither text nor html', { text: undefined }, 'text'],
  ['a Message-ID with a space in it', { in_reply_to: '<a b@x>' }, 'in_reply_to'],
  ['a sentence for a Message-ID', { in_reply_to: 'not a message id' }, 'in_reply_to'],
  ['a sentence in brackets', { references: ['<not>', '<a>'] }, 'references[0]'],
  ['nothing for a Message-ID', { in_reply_to: ' ' }, 'in_reply_to'],
  ['nothing among Message-IDs', { references: ['a@x', ''] }, 'references[1]'],
  ['an address without its left side', { in_reply_to: '<@x>' }, 'in_reply_to'],
  ['Message-IDs with a comma between', { references: '<a@x>,<b@x>' }, 'references'],
  ['a Message-ID within another', { references: ['<a@x>', '<<b@x>>'] }, 'references[1]'],
  ['a Message-ID beyond ASCII', { references: '<ü@x>' }, 'references'],
  ['101 Message-IDs', { references: '<a@x> '.repeat(101) }, 'references'],
  ['base64 with a line break', { attachments: [{ ...attachment, content: 'SGVs\r\nbG8=' }] }, 'attachments[0].content'],
  ['base64 for URLs', { attachments: [attachment, { ...attachment, content: '-_-_' }] }, 'attachments[1].content'],
  ['base64 without its padding', { attachments: [{ ...attachment, content: 'SGk' }] }, 'attachments[0].content'],
  ['base64 with stray bits', { attachments: [{ ...attachment, content: 'SGl=' }] }, 'attachments[0].content'],
  ['a wrong content type', { attachments: [{ ...attachment, content_type: 'pdf' }] }, 'attachments[0].content_type'],
  ['parts in parts', { attachments: [{ ...attachment, content_type: 'multipart/x' }] }, 'attachments[0].content_type'],
  ['a content id in brackets', { attachments: [{ ...attachment, content_id: '<a>' }] }, 'attachments[0].content_id'],
  ['a content id twice', { attachments: [1, 2].map(() => ({ ...attachment, content_id: 'a' })) }, 'attachments'],
] as const)
  test(`refused, naming ${field}: ${what}`, () => {
    const body = { ...least, ...(change as Partial<SendingBody>) }
    const refusal = { code: 'invalid_request', field, message: / / }
    assert.throws(() => outgoing(anyone, body), refusal)
  })

const given = { ...least, to: 'ann@there.example' }
for (const [field, named, change] of [
  ['to', 'cy@else.example', { to: 'cy@else.example' }],
  ['to[1]', 'CY@Else.example', { to: ['Ann <ann@there.example>', 'Cy <CY@Else.example>'] }],
  ['cc[0]', 'ann@sub.there.example', { cc: ['ann@sub.there.example'] }],
  ['bcc', 'bob+x@else.example', { bcc: 'bob+x@else.example' }],
  [
    undefined,
    '',
    { to: ['ANN@There.example'], cc: 'BOB@ELSE.EXAMPLE', bcc: ['cy@there.example'], reply_to: 'x@y.example' },
  ],
] as const)
  test(`a key for some recipients ${field ? `does not write to ${named}` : 'writes to these'}`, () => {
    const caller = new Caller('', { mailboxes: null, recipients: ['@there.example', 'bob@else.example'] })
    const sends = () => outgoing(caller, { ...given, ...(change as Partial<SendingBody>) })
    if (field === undefined) sends()
    else assert.throws(sends, ({ field: at, message }) => at === field && message.includes(named))
  })

for (const [what, change, message] of [
  ['an empty string', { to: [''] }, /^to\[0\] must be an address/],
  ['two addresses', { to: ['a@x.example, b@x.example'] }, /^to\[0\] holds several addresses in one string: give each/],
  ['two senders', { from: 'a@x.example; b@x.example' }, /^from holds several addresses in one string: it takes one$/],
  [
    'a data URI',
    { attachments: [{ ...attachment, content: 'data:text/plain;base64,SGk=' }] },
    /must be base64 alone, and not a data URI: leave out "data:text\/plain;base64,"/,
  ],
  [
    'a data URI of another encoding',
    { attachments: [{ ...attachment, content: 'data:text/plain,Hi' }] },
    /not a data URI: encode it as base64/,
  ],
] as const)
  test(`the error says what to do about ${what}`, () =>
    assert.throws(() => outgoing(anyone, { ...least, ...(change as Partial<SendingBody>) }), { message }))

test('a content type is in lower case', () => {
  const read = outgoing(anyone, { ...least, attachments: [{ ...attachment, content_type: 'Text/Plain' }] })
  assert.equal(read.attachments[0]?.contentType, 'text/plain')
})

test('attachments of 8 MiB are accepted, and not one octet more', () => {
  const of = (octets: number) => ({ ...attachment, content: Buffer.alloc(octets).toString('base64') })
  const half = 4_194_304
  assert.equal(outgoing(anyone, { ...least, attachments: [of(half), of(half)] }).attachments.length, 2)
  assert.throws(() => outgoing(anyone, { ...least, attachments: [of(half), of(half + 1)] }), { field: 'attachments' })
})

test('every attachment is decoded to what was encoded', () =>
  fc.assert(
    fc.property(fc.uint8Array(), (octets) => {
      const content = Buffer.from(octets)
      const attachments = [{ ...attachment, content: content.toString('base64') }]
      const [read] = outgoing(anyone, { ...least, attachments }).attachments
      assert.deepEqual(read?.content, content)
    }),
  ))
