import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { keyring } from '#test/world/installation.ts'
import { BounceAddresses, envelopeSenderOf } from './bounce-address.ts'

const addresses = new BounceAddresses(keyring)
const message = { id: randomUUID(), organizationId: randomUUID(), sender: 'ada@here.example' }

for (const sender of ['ada@here.example', 'ada+s@here.example', `${'a'.repeat(36)}@here.example`, 'A.B_c@Here.example'])
  test(`a bounce address of ${sender} names its message, in any case`, () => {
    const made = addresses.of({ ...message, sender })
    assert.ok((made.split('@')[0]?.length ?? 0) <= 64)
    for (const written of [made, made.toUpperCase(), made.toLowerCase()]) {
      const range = addresses.read(message.organizationId, written)
      assert.ok(range && range.from <= message.id && message.id <= range.to, written)
      assert.equal(range.from.slice(0, 18), message.id.slice(0, 18))
    }
  })

for (const sender of ['', `${'a'.repeat(37)}@here.example`, '"a b"@here.example', 'zoë@here.example', 'nobody'])
  test(`${sender || 'the null sender'} stays as it is`, () =>
    assert.equal(addresses.of({ ...message, sender }), sender))

test('a bounce address holds for one message, organization and address', () => {
  const made = addresses.of(message)
  const [local = '', domain = ''] = made.split('@')
  assert.equal(addresses.read(randomUUID(), made), undefined)
  for (const forged of [
    `${local.replace('ada', 'eve')}@${domain}`,
    `${local}@elsewhere.example`,
    `${local.slice(0, -1)}@${domain}`,
    `${local}a@${domain}`,
    `${local.slice(0, -1)}1@${domain}`,
    `ada+r${'7'.repeat(26)}@${domain}`,
    'ada@here.example',
    '@',
    '',
  ])
    assert.equal(addresses.read(message.organizationId, forged), undefined, forged)
  for (let at = local.indexOf('+') + 2; at < local.length; at++) {
    const other = `${local.slice(0, at)}${local[at] === 'c' ? 'd' : 'c'}${local.slice(at + 1)}@${domain}`
    assert.equal(addresses.read(message.organizationId, other), undefined, other)
  }
})

for (const [what, changes, has] of [
  ['what is sent', { kind: 'sent' }, true],
  ['what was scheduled', { kind: 'scheduled' }, true],
  ['what a Private mailbox sends', { kind: 'sent', concealed: true }, false],
  ['what is forwarded', { kind: 'relayed' }, false],
  ['an auto-reply', { kind: 'reply', sender: '' }, false],
] as const)
  test(`${what} leaves ${has ? 'with' : 'without'} a bounce address`, () => {
    const one = { ...message, concealed: false, ...changes }
    assert.equal(envelopeSenderOf(addresses, one) !== one.sender, has)
  })
