import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { Refusal } from '#/base/errors.ts'
import { parsePattern } from '#/formats/mime/address/address-pattern.ts'
import { Caller, everyLevel } from './caller.ts'

const [ours, theirs] = [randomUUID(), randomUUID()]

test('an unrestricted caller sees every mailbox and writes to everybody', () => {
  const caller = Caller.unrestricted(randomUUID())
  assert.ok(caller.managesAllMailboxes && caller.writesToEverybody)
  assert.ok(caller.may('read', ours) && caller.may('read', theirs))
  caller.assertWritesTo('bob@else.example', 'to')
})

test('a caller that is restricted to mailboxes sees those alone', () => {
  const caller = new Caller(randomUUID(), { mailboxes: everyLevel([ours]), recipients: null })
  assert.ok(!caller.managesAllMailboxes && caller.may('read', ours) && !caller.may('read', theirs))
  assert.ok(caller.writesToEverybody)
})

function writesTo(recipients: readonly string[], address: string): boolean {
  const stored = recipients.map((recipient) => parsePattern(recipient) ?? '')
  try {
    new Caller(randomUUID(), { mailboxes: null, recipients: stored }).assertWritesTo(address, 'to[3]')
    return true
  } catch (error) {
    assert.ok(error instanceof Refusal)
    assert.deepEqual([error.code, error.field], ['invalid_request', 'to[3]'])
    assert.ok(error.message.includes(address), error.message)
    return false
  }
}

for (const [recipient, address, expected] of [
  ['bob@else.example', 'BOB@Else.Example', true],
  ['bob@else.example', 'bob+news@else.example', false],
  ['bob@else.example', 'bobby@else.example', false],
  ['@there.example', 'Anybody@THERE.example', true],
  ['@there.example', 'ann@sub.there.example', false],
  ['@there.example', 'ann@here.example', false],
  ['@there.example', '"ann@there.example"@here.example', false],
  ['@bücher.example', 'ann@xn--bcher-kva.example', true],
  ['jörg@else.example', 'JÖRG@else.example', true],
] as const)
  test(`${address} ${expected ? 'is' : 'is not'} among the recipients ${recipient}`, () =>
    assert.equal(writesTo([recipient], address), expected))

const local = fc.stringMatching(/^[a-z]{1,3}$/)
const domain = fc.constantFrom('a.example', 'b.example', 'sub.a.example', 'aa.example')
const anyCase = (text: string) =>
  fc
    .array(fc.boolean(), { minLength: text.length, maxLength: text.length })
    .map((upper) => [...text].map((letter, at) => (upper[at] ? letter.toUpperCase() : letter)).join(''))

test('a key writes to an address that it names, or whose domain it names, in whatever case, and to no other', () => {
  const address = fc.tuple(local, domain).map(([local, domain]) => `${local}@${domain}`)
  const recipient = fc.oneof(
    address,
    domain.map((domain) => `@${domain}`),
  )
  const named = fc.array(recipient.chain(anyCase), { minLength: 1, maxLength: 4 })
  const inAnyCase = address.chain((plain) => fc.tuple(fc.constant(plain), anyCase(plain)))
  fc.assert(
    fc.property(named, inAnyCase, (recipients, [plain, written]) => {
      const lower = recipients.map((one) => one.toLowerCase())
      const expected = lower.includes(plain) || lower.includes(plain.slice(plain.indexOf('@')))
      assert.equal(writesTo(recipients, written), expected)
    }),
  )
})
