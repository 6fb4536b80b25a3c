import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Srs } from './srs.ts'

const srs = new Srs('a secret of at least thirty-two characters')
const elsewhere = new Srs('another secret of thirty-two characters!')
const now = new Date('2026-11-21T08:00:00Z')
const days = (count: number) => new Date(now.getTime() + count * 86_400_000)
const local = (address: string) => address.slice(0, address.lastIndexOf('@'))

test('a sender is rewritten to our domain, and read back whatever became of its case', () => {
  const { sender, kept } = srs.rewrite('Ann.Lee+x=y@Far.example', 'here.example', now)
  assert.match(sender, /^SRS0=[0-9a-f]{8}=[a-z2-7]{2}=Far\.example=Ann\.Lee\+x=y@here\.example$/)
  assert.equal(kept, undefined)
  for (const seen of [local(sender), local(sender).toLowerCase(), local(sender).toUpperCase()]) {
    const origin = srs.read(seen, now)
    assert.ok(origin && 'address' in origin)
    assert.equal(origin.address.toLowerCase(), 'ann.lee+x=y@far.example')
  }
})

test('any sender is rewritten to at most 64 octets of ASCII, and read back', () => {
  const word = fc.stringMatching(/^[a-z0-9._+=-]{1,70}$/)
  fc.assert(
    fc.property(fc.oneof(word, fc.constant('"a b"'), fc.constant('grün')), word, (user, host) => {
      const address = `${user}@${host.replace(/[^a-z0-9]/g, 'x')}.example`
      const { sender, kept } = srs.rewrite(address, 'here.example', now)
      assert.match(local(sender), /^[\x21-\x7e]{1,64}$/)
      const origin = srs.read(local(sender), now)
      if (kept) assert.deepEqual([origin, kept.address], [{ id: kept.id }, address])
      else assert.deepEqual(origin, { address })
    }),
  )
})

test('the null sender stays null', () => {
  assert.deepEqual(srs.rewrite('', 'here.example', now), { sender: '', kept: undefined })
})

test('a sender that another forwarder has rewritten becomes SRS1, and goes back to that forwarder', () => {
  const first = elsewhere.rewrite('ann@far.example', 'one.example', now).sender
  const { sender } = srs.rewrite(first, 'here.example', now)
  assert.match(sender, /^SRS1=[0-9a-f]{8}=one\.example==[0-9a-f]{8}=[a-z2-7]{2}=far\.example=ann@here\.example$/)
  assert.deepEqual(srs.read(local(sender), now), { address: first })
  const third = new Srs('a third secret of thirty-two characters!').rewrite(sender, 'three.example', now).sender
  assert.match(third, /^SRS1=[0-9a-f]{8}=one\.example==/)
})

test('a sender that was rewritten here is not wrapped a second time', () => {
  const once = srs.rewrite('ann@far.example', 'one.example', now).sender
  assert.equal(srs.rewrite(once, 'two.example', now).sender, once.replace('one.example', 'two.example'))
  const long = srs.rewrite(`${'a'.repeat(64)}@far.example`, 'one.example', now)
  assert.deepEqual(srs.rewrite(long.sender, 'two.example', now), {
    sender: long.sender.replace('one.example', 'two.example'),
    kept: undefined,
  })
})

const good = local(srs.rewrite('ann@far.example', 'here.example', now).sender)
for (const [what, given] of [
  ['made under another secret', local(elsewhere.rewrite('ann@far.example', 'here.example', now).sender)],
  ['with another user', good.replace('=ann', '=bob')],
  ['with another host', good.replace('far', 'near')],
  ['with another day', good.replace(/=(..)=far/, '=aa=far')],
  ['without a tag', 'SRS0==aa=far.example=ann'],
  ['of another form', 'SRS0=ann'],
  ['SRS1 with a forged tag', 'SRS1=00000000=one.example==00000000=aa=far.example=ann'],
  ['an id that is none', 'srs=0123'],
] as const) {
  test(`nobody stands behind a rewritten sender ${what}`, () => assert.equal(srs.read(given, now), undefined))
}

test('bounces come back for 21 days, also where the count of days begins anew', () => {
  assert.ok(srs.read(good, days(21)))
  assert.equal(srs.read(good, days(22)), undefined)
  const last = new Date(1023 * 86_400_000)
  const late = local(srs.rewrite('ann@far.example', 'here.example', last).sender)
  assert.ok(srs.read(late, new Date(1030 * 86_400_000)))
  assert.equal(srs.read(late, new Date(1060 * 86_400_000)), undefined)
})
