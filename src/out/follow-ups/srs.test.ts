import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Keyring } from '#/base/secrets/keyring.ts'
import { Srs } from './srs.ts'

const srs = new Srs(new Keyring('a secret of at least thirty-two characters'))
const elsewhere = new Srs(new Keyring('another secret of thirty-two characters!'))
const now = new Date('2026-11-21T08:00:00Z')
const days = (count: number) => new Date(now.getTime() + count * 86_400_000)
const local = (address: string) => address.slice(0, address.lastIndexOf('@'))
const mailboxId = '0badcafe-0000-4000-8000-000000000000'
const at = (domain: string) => ({ mailboxId, domain })
const here = at('here.example')

test('a sender is rewritten to our domain, and read back in any case', () => {
  const { sender, kept } = srs.rewrite('Ann.Lee+x=y@Far.example', here, now)
  assert.match(sender, /^SRS0=[0-9a-f]{8}0badcafe=[a-z2-7]{2}=Far\.example=Ann\.Lee\+x=y@here\.example$/)
  assert.equal(kept, undefined)
  for (const seen of [local(sender), local(sender).toLowerCase(), local(sender).toUpperCase()]) {
    const origin = srs.read(seen, 'here.example', now)
    assert.ok(origin && 'address' in origin)
    assert.equal(origin.address.toLowerCase(), 'ann.lee+x=y@far.example')
  }
})

test('any sender is rewritten to at most 64 octets of ASCII, and read back', () => {
  const word = fc.stringMatching(/^[a-z0-9._+=-]{1,70}$/)
  fc.assert(
    fc.property(fc.oneof(word, fc.constant('"a b"'), fc.constant('grün')), word, (user, host) => {
      const address = `${user}@${host.replace(/[^a-z0-9]/g, 'x')}.example`
      const { sender, kept } = srs.rewrite(address, here, now)
      assert.match(local(sender), /^[\x21-\x7e]{1,64}$/)
      const origin = srs.read(local(sender), 'here.example', now)
      if (kept) assert.deepEqual([origin, kept.address, kept.mailboxId], [{ id: kept.id }, address, mailboxId])
      else assert.deepEqual(origin, { address, mailbox: '0badcafe' })
    }),
  )
})

test('the null sender stays null', () => assert.deepEqual(srs.rewrite('', here, now), { sender: '', kept: undefined }))

test('a sender that another forwarder has rewritten becomes SRS1, and goes back to that forwarder', () => {
  const first = 'SRS0=Hx+s=xy=far.example=ann@one.example'
  const { sender } = srs.rewrite(first, here, now)
  assert.match(sender, /^SRS1=[0-9a-f]{8}0badcafe[a-z2-7]{2}=one\.example==Hx\+s=xy=far\.example=ann@here\.example$/)
  assert.deepEqual(srs.read(local(sender), 'here.example', now), { address: first, mailbox: '0badcafe' })
  const again = 'SRS1=zzzz=one.example==Hx+s=xy=far.example=ann@two.example'
  const third = srs.rewrite(again, here, now).sender
  assert.deepEqual(srs.read(local(third), 'here.example', now), { address: first, mailbox: '0badcafe' })
})

test('a sender that was rewritten here is not wrapped a second time', () => {
  const once = srs.rewrite('ann@far.example', at('one.example'), now).sender
  const twice = srs.rewrite(once, at('two.example'), now)
  assert.deepEqual(twice, srs.rewrite('ann@far.example', at('two.example'), now))
})

test('one that is kept in a table is kept once more for the next mailbox, and comes back through both', () => {
  const long = srs.rewrite(`${'a'.repeat(64)}@far.example`, at('one.example'), now)
  const { kept } = srs.rewrite(long.sender, at('two.example'), now)
  assert.equal(kept?.address, long.sender)
  assert.notEqual(kept?.id, long.kept?.id)
})

const good = local(srs.rewrite('ann@far.example', here, now).sender)
const foreign = local(srs.rewrite('SRS0=Hx+s=xy=far.example=ann@one.example', here, now).sender)
test('both of these are valid', () => {
  for (const one of [good, foreign]) assert.ok(srs.read(one, 'here.example', now))
})
for (const [what, given, domain = 'here.example'] of [
  ['made under another secret', local(elsewhere.rewrite('ann@far.example', here, now).sender)],
  ['with another user', good.replace('=ann', '=bob')],
  ['with another host', good.replace('far', 'near')],
  ['with another day', good.replace(/=(..)=far/, '=aa=far')],
  ['with another mailbox', good.replace('0badcafe', '1badcafe')],
  ['at another domain', good, 'there.example'],
  ['without a tag', 'SRS0==aa=far.example=ann'],
  ['of another form', 'SRS0=ann'],
  ['SRS1 with a forged tag', foreign.replace(/^SRS1=......../, 'SRS1=00000000')],
  ['SRS1 with another mailbox', foreign.replace('0badcafe', '1badcafe')],
  ['SRS1 with another forwarder', foreign.replace('one', 'two')],
  ['SRS1 at another domain', foreign, 'there.example'],
  ['an id that is none', 'srs=0123'],
  ['with something before it', `x${good}`],
  ['SRS1 with something before it', `x${foreign}`],
  ['an id with something before it', `xsrs=${'0'.repeat(32)}`],
  ['an id with something behind it', `srs=${'0'.repeat(33)}`],
] as const)
  test(`a rewritten sender is invalid ${what}`, () => assert.equal(srs.read(given, domain, now), undefined))

test('bounces come back for 21 days, also where the count of days begins anew, and not once more after that', () => {
  for (const one of [good, foreign]) {
    assert.ok(srs.read(one, 'here.example', days(21)))
    for (const late of [22, 1024, 1030, 2048]) assert.equal(srs.read(one, 'here.example', days(late)), undefined)
  }
  const last = new Date(1023 * 86_400_000)
  const late = local(srs.rewrite('ann@far.example', here, last).sender)
  assert.ok(srs.read(late, 'here.example', new Date(1030 * 86_400_000)))
  assert.equal(srs.read(late, 'here.example', new Date(1060 * 86_400_000)), undefined)
})
