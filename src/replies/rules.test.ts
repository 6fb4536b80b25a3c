import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ownAddresses } from '#/mailboxes/own-addresses.ts'
import { type Address, canonicalAddress } from '#/mime/address/address.ts'
import { parseAddresses } from '#/mime/address/address-list.ts'
import { type Answered, addressedAs, recipients, threadOf } from './rules.ts'

const none = { messageId: null, references: [], inReplyTo: [], subject: '', from: [], replyTo: [], to: [], cc: [] }
const own = ownAddresses(['ada@x.example', 'sales@x.example']).include

function message(fields: Partial<Record<'from' | 'replyTo' | 'to' | 'cc', string>>): Answered {
  const read = Object.entries(fields).map(([name, value]) => [name, parseAddresses(value)])
  return { ...none, ...Object.fromEntries(read) }
}

const bare = (addresses: readonly Address[]) => addresses.map(({ address }) => address).join(' ')

for (const [what, fields, all, to, cc] of [
  ['goes to authors', { from: 'Ann <ann@a.example>', to: 'ada@x.example, bo@b.example' }, false, 'ann@a.example', ''],
  ['goes to Reply-To', { from: 'ann@a.example', replyTo: 'list@l.example' }, false, 'list@l.example', ''],
  ['goes to the author where Reply-To has none', { from: 'ann@a.example', replyTo: 'Ann' }, false, 'ann@a.example', ''],
  [
    'goes to several in Reply-To',
    { from: 'ann@a.example', replyTo: 'b@b.example, c@c.example' },
    false,
    'b@b.example c@c.example',
    '',
  ],
  ['goes to all authors', { from: 'ann@a.example, bo@b.example' }, false, 'ann@a.example bo@b.example', ''],
  [
    'to all goes to To and Cc too',
    { from: 'ann@a.example', to: 'ada@x.example, bo@b.example', cc: 'cy@c.example' },
    true,
    'ann@a.example bo@b.example',
    'cy@c.example',
  ],
  [
    'to all leaves out aliases and tags of one’s own',
    { from: 'ann@a.example', to: 'SALES@x.example', cc: 'ada+news@X.example, cy@c.example' },
    true,
    'ann@a.example',
    'cy@c.example',
  ],
  [
    'to all names each once',
    { from: 'ann@a.example', to: 'Ann <ANN@A.example>, bo@b.example', cc: 'Bo <bo@b.example>' },
    true,
    'ann@a.example bo@b.example',
    '',
  ],
  [
    'to a list goes to the list once',
    { from: 'ann@a.example', replyTo: 'list@l.example', to: 'list@l.example' },
    true,
    'list@l.example',
    '',
  ],
  [
    'to one’s own message goes to whom that went to',
    { from: 'ada@x.example', to: 'ann@a.example', cc: 'cy@c.example' },
    false,
    'ann@a.example',
    '',
  ],
  [
    'to all of one’s own message goes to all of them',
    { from: 'sales@x.example', to: 'ann@a.example', cc: 'cy@c.example' },
    true,
    'ann@a.example',
    'cy@c.example',
  ],
  ['to a message to oneself goes there', { from: 'ada@x.example', to: 'ada@x.example' }, false, 'ada@x.example', ''],
  ['to all has a To', { from: 'ada@x.example', to: 'ada@x.example', cc: 'cy@c.example' }, true, 'cy@c.example', ''],
  ['to nobody has nobody', {}, true, '', ''],
  ['leaves out a name without an address', { from: 'Ann' }, false, '', ''],
  [
    'to one’s own message goes to its recipients, also where a comma parts one’s name',
    { from: 'Byron, Ada <ada@x.example>', to: 'ann@a.example' },
    false,
    'ann@a.example',
    '',
  ],
] as const)
  test(`an answer ${what}`, () => {
    const answer = recipients(message(fields), own, { all })
    assert.deepEqual([bare(answer.to), bare(answer.cc)], [to, cc])
  })

test('who is to be left out is left out', () => {
  const asked = message({ from: 'ann@a.example', to: 'bo@b.example', cc: 'cy@c.example' })
  const answer = recipients(asked, own, { all: true, without: ['BO@b.example', 'cy@c.example'] })
  assert.deepEqual([bare(answer.to), bare(answer.cc)], ['ann@a.example', ''])
})

const address = fc
  .tuple(fc.constantFrom('ada', 'ADA+x', 'bo', 'Cy', 'sales'), fc.constantFrom('x.example', 'X.example', 'y.example'))
  .map(([local, domain]) => ({ name: '', address: `${local}@${domain}` }))
const some = fc.array(address, { maxLength: 4 })

test('whatever a message names, nobody is named twice, and oneself only where nobody else is', () =>
  fc.assert(
    fc.property(some, some, some, some, fc.boolean(), (from, replyTo, to, cc, all) => {
      const asked = { ...none, from, replyTo, to, cc }
      const answer = recipients(asked, own, { all })
      const named = [...answer.to, ...answer.cc].map((one) => canonicalAddress(one.address))
      assert.equal(new Set(named).size, named.length)
      const selves = [...answer.to, ...answer.cc].filter((one) => own(one.address))
      if (selves.length > 0) assert.deepEqual([...answer.to, ...answer.cc], selves)
      assert.ok(answer.to.length > 0 || answer.cc.length === 0)
      if (!all) assert.deepEqual(answer.cc, [])
    }),
  ))

test('an answer is sent from the address that the message came to', () => {
  const addresses = ['ada@x.example', 'sales@x.example']
  assert.equal(addressedAs(message({ to: 'b@b.example, Sales@X.example' }), addresses), 'sales@x.example')
  assert.equal(addressedAs(message({ cc: 'ada@x.example' }), addresses), 'ada@x.example')
  assert.equal(addressedAs(message({ to: 'list@l.example' }), addresses), undefined)
})

for (const [what, fields, inReplyTo, references] of [
  ['a first message', { messageId: '<1@a>' }, ['<1@a>'], ['<1@a>']],
  ['one with several', { messageId: '<3@a>', references: ['<1@a>', '<2@a>'] }, ['<3@a>'], ['<1@a>', '<2@a>', '<3@a>']],
  ['one that says only what it answers', { messageId: '<2@a>', inReplyTo: ['<1@a>'] }, ['<2@a>'], ['<1@a>', '<2@a>']],
  ['one that answers several', { messageId: '<3@a>', inReplyTo: ['<1@a>', '<2@a>'] }, ['<3@a>'], ['<3@a>']],
  ['one that names itself', { messageId: '<1@a>', references: ['<1@a>'] }, ['<1@a>'], ['<1@a>']],
  ['one without an id', { references: ['<1@a>'] }, [], []],
] as const)
  test(`the ids of an answer to ${what}`, () =>
    assert.deepEqual(threadOf({ ...none, ...fields }), { inReplyTo, references }))

test('a long conversation keeps its first id and its last ones', () => {
  const references = Array.from({ length: 300 }, (_, at) => `<${at}@a>`)
  const { references: kept } = threadOf({ ...none, messageId: '<x@a>', references })
  assert.deepEqual([kept.length, kept[0], kept[1], kept.at(-1)], [100, '<0@a>', '<202@a>', '<x@a>'])
})
