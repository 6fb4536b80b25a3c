import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Address, canonicalAddress } from '#/formats/mime/address/address.ts'
import { parseAddresses } from '#/formats/mime/address/address-list.ts'
import { ownAddresses } from '#/mail/mailboxes/own-addresses.ts'
import { type Answered, addressedAs, recipients, threadOf } from './rules.ts'

const none = { messageId: null, references: [], inReplyTo: [], subject: '', from: [], replyTo: [], to: [], cc: [] }
const own = ownAddresses(['ada@x.example', 'sales@x.example']).include

/** Addresses of which only the local parts were written. */
const whole = (text: string) => text.replace(/(?<![\w@.+])([a-z]+|[A-Z]{2,})(\+[a-z]+)?(?![\w@.+])/g, '$&@x.example')

function message(fields: Partial<Record<'from' | 'replyTo' | 'to' | 'cc', string>>): Answered {
  const read = Object.entries(fields).map(([name, value]) => [name, parseAddresses(whole(value))])
  return { ...none, ...Object.fromEntries(read) }
}

const bare = (addresses: readonly Address[]) => addresses.map(({ address }) => address).join(' ')

for (const [what, fields, all, to, cc] of [
  ['goes to authors', { from: 'Ann <ann>', to: 'ada, bo' }, false, 'ann', ''],
  ['goes to Reply-To', { from: 'ann', replyTo: 'list' }, false, 'list', ''],
  ['goes to the author where Reply-To has none', { from: 'ann', replyTo: 'Ann' }, false, 'ann', ''],
  ['goes to several in Reply-To', { from: 'ann', replyTo: 'bo, cy' }, false, 'bo cy', ''],
  ['goes to all authors', { from: 'ann, bo' }, false, 'ann bo', ''],
  ['to all goes to To and Cc too', { from: 'ann', to: 'ada, bo', cc: 'cy' }, true, 'ann bo', 'cy'],
  ['to all leaves out one’s own aliases and tags', { from: 'ann', to: 'SALES', cc: 'ada+news, cy' }, true, 'ann', 'cy'],
  ['to all names each once', { from: 'ann', to: 'Ann <ANN>, bo', cc: 'Bo <bo>' }, true, 'ann bo', ''],
  ['to a list goes to the list once', { from: 'ann', replyTo: 'list', to: 'list' }, true, 'list', ''],
  ['to one’s own message goes to whom that went to', { from: 'ada', to: 'ann', cc: 'cy' }, false, 'ann', ''],
  ['to all of one’s own message goes to all of them', { from: 'sales', to: 'ann', cc: 'cy' }, true, 'ann', 'cy'],
  ['to a message to oneself goes there', { from: 'ada', to: 'ada' }, false, 'ada', ''],
  ['to all has a To', { from: 'ada', to: 'ada', cc: 'cy' }, true, 'cy', ''],
  ['to nobody has nobody', {}, true, '', ''],
  ['leaves out a name without an address', { from: 'Ann' }, false, '', ''],
  ['to one’s own does so where a comma parts the name', { from: 'Byron, Ada <ada>', to: 'ann' }, false, 'ann', ''],
] as const)
  test(`an answer ${what}`, () => {
    const answer = recipients(message(fields), own, { all })
    assert.deepEqual([bare(answer.to), bare(answer.cc)], [whole(to), whole(cc)])
  })

test('who is to be left out is left out', () => {
  const asked = message({ from: 'ann', to: 'bo', cc: 'cy' })
  const answer = recipients(asked, own, { all: true, without: ['BO@x.example', 'cy@x.example'] })
  assert.deepEqual([bare(answer.to), bare(answer.cc)], ['ann@x.example', ''])
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
